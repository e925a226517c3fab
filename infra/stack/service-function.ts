import { join } from 'node:path';
import { Duration, Validations } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  Code,
  type FunctionProps,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type FunctionName, type Grant, grants } from './grants.ts';
import { addLogs, countFailures } from './logs.ts';
import type { Settings } from '../settings.ts';
import { tableSchema } from './table-schema.ts';

/** What all functions of the stack have in common. `bundles` is the folder that holds their code. */
export type SharedProps = { settings: Settings; table: ITableV2; bundles: string; key: Key | undefined };

/** In what a function differs from the others. */
type Overrides = Pick<
  FunctionProps,
  'timeout' | 'environment' | 'reservedConcurrentExecutions' | 'retryAttempts' | 'maxEventAge'
>;

/** One Lambda function, made of the file of its name in functions/, that may do what its grant says and no more. */
export class ServiceFunction extends LambdaFunction {
  constructor(
    scope: Construct,
    name: FunctionName,
    { settings, table, bundles, key }: SharedProps,
    own: Overrides = {},
  ) {
    const logGroup = addLogs(scope, `${name}-logs`, { settings, key });
    countFailures(logGroup);
    const role = new Role(scope, `${name}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    for (const statement of statements(grants[name], table)) role.addToPrincipalPolicy(statement);
    key?.grantEncryptDecrypt(role);
    super(scope, name, {
      runtime: Runtime.NODEJS_24_X,
      architecture: settings.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      code: Code.fromAsset(join(bundles, name)),
      handler: `${name}.handler`,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      tracing: Tracing.ACTIVE,
      timeout: Duration.seconds(10),
      memorySize: 1024,
      ...own,
      environment: {
        TABLE_NAME: table.tableName,
        ...(settings.serverTiming ? { SERVER_TIMING: 'on' } : {}),
        ...(settings.databaseEndpoint ? { AWS_ENDPOINT_URL_DYNAMODB: settings.databaseEndpoint } : {}),
        ...own.environment,
      },
    });
    Validations.of(role).acknowledge(
      {
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'X-Ray has no resources to name: PutTraceSegments and PutTelemetryRecords take * only.',
      },
      ...['kms:GenerateDataKey*', 'kms:ReEncrypt*'].map((action) => ({
        id: `AwsSolutions-IAM5[Action::${action}]`,
        reason: 'With customerManagedKey: variants of one operation each, and on the key of this service alone.',
      })),
    );
  }
}

/** Exactly the actions of the grant: CDK's own grants always take the indexes in. */
function statements({ table: actions, index = [] }: Grant, { tableArn }: ITableV2): PolicyStatement[] {
  const places = [
    { actions, resource: tableArn },
    { actions: index, resource: `${tableArn}/index/${tableSchema.index.name}` },
  ];
  return places
    .filter(({ actions }) => actions.length > 0)
    .map(({ actions, resource }) => {
      return new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [resource] });
    });
}
