import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CfnElement, CustomResource, Duration, Stack } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { DIRECTORY, tableSchema } from '../../lib/dynamodb/keys.ts';
import { acknowledge } from './acknowledge.ts';
import { allowLogging } from './logs.ts';
import type { SharedProps } from './service-function.ts';

/** The template contains the code, so the package needs no bundle of it. */
const CODE = readFileSync(join(import.meta.dirname, 'table-guard.cjs'), 'utf8');

const COUNTED_INDEX = `arn:*:dynamodb:*:*:table/*/index/${tableSchema.index.name}`;

/**
 * Fails a deploy before the functions use an empty table instead of one with users: when restoredStream was forgotten, when a
 * change of ids would replace the table, and when a stack is deployed again beside the table that its deletion has kept.
 */
export class TableGuard extends Construct {
  constructor(scope: Construct, id: string, shared: SharedProps) {
    super(scope, id);
    const role = new Role(this, 'role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    allowLogging(role);
    shared.key?.grantDecrypt(role);
    allowCounting(role);
    const handler = new LambdaFunction(this, 'function', {
      runtime: Runtime.NODEJS_24_X,
      architecture: shared.architecture ?? Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromInline(CODE),
      timeout: Duration.minutes(1),
      role,
      logGroup: shared.logGroup,
      loggingFormat: LoggingFormat.JSON,
      environment: {
        INDEX: tableSchema.index.name,
        PARTITION_KEY: tableSchema.index.partitionKey,
        PARTITION: DIRECTORY,
      },
    });
    new CustomResource(this, 'resource', {
      resourceType: 'Custom::UserManagementTable',
      serviceToken: handler.functionArn,
      properties: { TableName: shared.table.tableName, Prefix: getNamePrefix(shared.table) },
    });
  }
}

/** The former table can have any name. Of its users, the function may only count those of the first page. */
function allowCounting(role: Role): void {
  role.addToPrincipalPolicy(new PolicyStatement({ actions: ['dynamodb:ListTables'], resources: ['*'] }));
  role.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['dynamodb:Query'],
      resources: [COUNTED_INDEX],
      conditions: {
        'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [DIRECTORY] },
        StringEquals: { 'dynamodb:Select': 'COUNT' },
      },
    }),
  );
  acknowledge(
    role,
    { id: 'AwsSolutions-IAM5[Resource::*]', reason: 'ListTables does not support resource-level permissions.' },
    {
      id: `AwsSolutions-IAM5[Resource::${COUNTED_INDEX}]`,
      reason: 'The former table can have any name; conditions allow only a count of its users.',
    },
  );
}

/** How CloudFormation names the table, without the random end. A table of another stack or a restored one has a name of any kind. */
function getNamePrefix(table: ITableV2): string {
  const stack = Stack.of(table);
  const { defaultChild } = table.node;
  return defaultChild ? `${stack.stackName}-${stack.getLogicalId(defaultChild as CfnElement)}-` : table.tableName;
}
