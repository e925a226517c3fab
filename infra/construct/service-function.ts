import { join } from 'node:path';
import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
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
import { tableSchema } from '../../lib/dynamodb/keys.ts';
import type { Grant } from '../../lib/rest/operation.ts';
import type { Settings } from '../settings.ts';
import { type FunctionName, grants } from './grants.ts';
import { countFailures, createLogGroup } from './logs.ts';
import { createFieldVariables } from './own-fields-file.ts';

/** The constructs of the stack share these. */
export type SharedProps = {
  settings: Settings;
  table: ITableV2;
  /** This folder contains the code of the functions. */
  bundles: string;
  key: Key | undefined;
  /** Differs also from that of a deleted stack of the same name. Only who may see the stack or its functions knows it. */
  stackUuid: string;
};

/** Properties that differ between functions. */
type Overrides = Pick<
  FunctionProps,
  'timeout' | 'memorySize' | 'environment' | 'reservedConcurrentExecutions' | 'retryAttempts' | 'maxEventAge'
>;

/** The Lambda function of the file with its name in functions/, with exactly the permissions of its grant. */
export class ServiceFunction extends LambdaFunction {
  constructor(
    scope: Construct,
    name: FunctionName,
    { settings, table, bundles, key }: SharedProps,
    overrides: Overrides = {},
  ) {
    const logGroup = createLogGroup(scope, `${name}-logs`, { settings, key });
    countFailures(logGroup);
    const role = new Role(scope, `${name}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    for (const statement of createStatements(grants[name], table)) role.addToPrincipalPolicy(statement);
    key?.grantEncryptDecrypt(role);
    super(scope, name, {
      runtime: Runtime.NODEJS_24_X,
      architecture: settings.architecture === 'arm64' ? Architecture.ARM_64 : Architecture.X86_64,
      code: Code.fromAsset(join(bundles, name)),
      handler: `${name}.handler`,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      ...(settings.tracing ? { tracing: Tracing.ACTIVE } : {}),
      // The alias can be pointed back to them.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
      timeout: Duration.seconds(10),
      memorySize: 1024,
      ...overrides,
      environment: {
        TABLE_NAME: table.tableName,
        ...(settings.serverTiming ? { SERVER_TIMING: 'on' } : {}),
        ...createFieldVariables(settings.fields),
        ...createLocalVariables(settings),
        ...overrides.environment,
      },
    });
    Validations.of(role).acknowledge(
      {
        // This finding appears only with tracing=on.
        id: 'AwsSolutions-IAM5[Resource::*]',
        reason: 'PutTraceSegments and PutTelemetryRecords of X-Ray do not support resource-level permissions.',
      },
      ...['kms:GenerateDataKey*', 'kms:ReEncrypt*'].map((action) => ({
        id: `AwsSolutions-IAM5[Action::${action}]`,
        reason: 'These are the variants of one operation, on the key of this stack only (customerManagedKey).',
      })),
    );
  }
}

/** `sam local` needs them: it cannot receive streamed responses, and without the global `awslambda` GraphQL does not stream. */
const createLocalVariables = ({ databaseEndpoint }: Settings): Record<string, string> =>
  databaseEndpoint
    ? { AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint, AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA: 'true' }
    : {};

/** The statements allow exactly the actions of the grant: CDK's grant methods always include the indexes. */
function createStatements({ table: actions, index = [] }: Grant, { tableArn }: ITableV2): PolicyStatement[] {
  const permissions = [
    { actions, resource: tableArn },
    { actions: index, resource: `${tableArn}/index/${tableSchema.index.name}` },
  ];
  return permissions
    .filter(({ actions }) => actions.length > 0)
    .map(({ actions, resource }) => {
      return new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [resource] });
    });
}
