import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CfnElement, CustomResource, Duration, Lazy, Stack } from 'aws-cdk-lib';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, LoggingFormat, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { DIRECTORY, tableSchema } from '../../lib/dynamodb/keys.ts';
import { acknowledge } from './acknowledge.ts';
import { allowLogging } from './logs.ts';
import type { SharedProps } from './service-function.ts';

/** The template contains the code, so the package needs no bundle of it. */
const CODE = readFileSync(join(import.meta.dirname, 'table-guard.cjs'), 'utf8');

const ANY_TABLE = 'arn:*:dynamodb:*:*:table/*';
const COUNTED_INDEX = `${ANY_TABLE}/index/${tableSchema.index.name}`;

/**
 * Fails a deploy before the functions use an empty table instead of one with users: when restoredStream was forgotten, when a
 * change of ids would replace the table, as when the construct is renamed, and when a stack is deployed again beside the table
 * that its deletion has kept.
 */
export class TableGuard extends Construct {
  constructor(scope: Construct, id: string, shared: SharedProps) {
    super(scope, id);
    const role = new Role(this, 'role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    allowLogging(role);
    for (const key of new Set([shared.key, shared.table.encryptionKey])) key?.grantDecrypt(role);
    allowCounting(role);
    const handler = new LambdaFunction(this, 'function', {
      runtime: Runtime.NODEJS_24_X,
      architecture: shared.architecture ?? Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromInline(CODE),
      // Until the role is known, 40 s may pass.
      timeout: Duration.minutes(2),
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
      properties: {
        TableName: shared.table.tableName,
        StackName: Stack.of(shared.table).stackName,
        // Services that come later in the stack have tables, too.
        LogicalIds: Lazy.list({ produce: () => listTableIds(Stack.of(shared.table)) }),
      },
    });
  }
}

/** The former table can have any name. Of its users, the function may only count those of the first page. */
function allowCounting(role: Role): void {
  role.addToPrincipalPolicy(new PolicyStatement({ actions: ['dynamodb:ListTables'], resources: ['*'] }));
  role.addToPrincipalPolicy(new PolicyStatement({ actions: ['dynamodb:DescribeTable'], resources: [ANY_TABLE] }));
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
      id: `AwsSolutions-IAM5[Resource::${ANY_TABLE}]`,
      reason: 'The former table can have any name; its description holds no users.',
    },
    {
      id: `AwsSolutions-IAM5[Resource::${COUNTED_INDEX}]`,
      reason: 'The former table can have any name; conditions allow only a count of its users.',
    },
  );
}

/** The logical ids of the tables of all services in a stack. */
const listTableIds = (stack: Stack): string[] =>
  stack.node
    .findAll()
    .filter((construct) => construct instanceof CfnGlobalTable && Stack.of(construct) === stack)
    .map((table) => stack.getLogicalId(table as CfnElement));
