import { isDeepStrictEqual } from 'node:util';
import { Duration, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ManagedPolicy, Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import {
  Architecture,
  type CfnFunction,
  type FunctionProps,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { Grant } from '../../lib/rest/operation.ts';
import { createFieldVariables, createFunctionCode } from '../own-fields/bundled-file.ts';
import { findSubject } from '../own-fields/rules.ts';
import { listVariables, type Readers, settings, toVariable, toVariableName } from '../settings/settings.ts';
import { acknowledge } from './acknowledge.ts';
import type { Configuration, Tokens } from './configuration.ts';
import { type FunctionName, findGrant, listStatements } from './grants.ts';
import { allowLogging } from './logs.ts';
import type { UserManagementProps } from './props.ts';

type PassedProps = Pick<
  UserManagementProps,
  'logRetention' | 'removalPolicy' | 'architecture' | 'vpc' | 'vpcSubnets' | 'securityGroups' | 'functionProps'
>;

export type SharedProps = Configuration &
  PassedProps & {
    /** Unique in account and region: the stack name, or longer if the stack has several services. */
    name: string;
    table: ITableV2;
    bundles: string;
    key: IKey | undefined;
    logGroup: LogGroup;
    /** Differs when a stack is deleted and created again. Not secret. */
    stackUuid: string;
  };

type Overrides = NonNullable<UserManagementProps['functionProps']> &
  Pick<FunctionProps, 'reservedConcurrentExecutions' | 'retryAttempts' | 'maxEventAge'>;

export class ServiceFunction extends LambdaFunction {
  constructor(scope: Construct, name: FunctionName, shared: SharedProps, overrides: Overrides = {}) {
    const { vpc, vpcSubnets, securityGroups } = shared;
    const role = createRole(scope, name, findGrant(name, shared.fields), shared);
    if (vpc) allowNetworkInterfaces(role);
    super(scope, name, {
      runtime: Runtime.NODEJS_24_X,
      architecture: shared.architecture ?? Architecture.ARM_64,
      code: createFunctionCode(name, shared),
      handler: `${name}.handler`,
      role,
      logGroup: shared.logGroup,
      loggingFormat: LoggingFormat.JSON,
      // Drops Lambda's report of each successful invocation, more than half of all log bytes. Failures have level WARN.
      // https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html#monitoring-cloudwatchlogs-log-level-mapping
      systemLogLevelV2: SystemLogLevel.WARN,
      ...(shared.tracing ? { tracing: Tracing.ACTIVE } : {}),
      ...(vpc ? { vpc, ...(vpcSubnets ? { vpcSubnets } : {}), ...(securityGroups ? { securityGroups } : {}) } : {}),
      // Keeps old versions, because a rollback can point the alias to one. A failed deploy deletes its own version, which
      // would block the next deploy of the same code.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
      timeout: Duration.seconds(10),
      memorySize: 1024,
      ...overrides,
      environment: { ...createVariables(shared), ...createLocalVariables(shared), ...overrides.environment },
    });
    // Names the function for `sam local`, which derives names only from CDK paths of up to three parts.
    if (shared.databaseEndpoint) (this.node.defaultChild as CfnFunction).addMetadata('SamResourceId', name);
  }
}

const READS = new Set<Grant['table'][number]>(['GetItem', 'BatchGetItem', 'Query']);

export function createRole(scope: Construct, name: string, grant: Grant, shared: SharedProps): Role {
  const { table, key } = shared;
  const role = new Role(scope, `${name}-role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  allowLogging(role, shared.logGroup);
  for (const statement of listStatements(grant, table.tableArn))
    role.addToPrincipalPolicy(PolicyStatement.fromJson(statement));
  // publish-events does not write to the table, but encrypts events for the bus.
  const isReader = name !== 'publish-events' && grant.table.every((action) => READS.has(action));
  const keys = [...new Set([key, table.encryptionKey])].filter((each) => each !== undefined);
  if (keys.length > 0) allowKeys(role, keys, { table, isReader });
  acknowledge(
    role,
    {
      // cdk-nag reports this only with tracing=on.
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'PutTraceSegments and PutTelemetryRecords of X-Ray do not support resource-level permissions.',
    },
    ...['kms:GenerateDataKey*', 'kms:ReEncrypt*'].map((action) => ({
      id: `AwsSolutions-IAM5[Action::${action}]`,
      reason: 'These are the variants of one operation, on the key of this stack only (customerManagedKey).',
    })),
  );
  return role;
}

/**
 * Creates a separate policy for the keys. CloudFormation creates it before the table gets the key, and deletes it after
 * the table has lost the key. The role's default policy refers to the table, so CloudFormation updates it too late.
 */
function allowKeys(role: Role, keys: IKey[], { table, isReader }: { table: ITableV2; isReader: boolean }): void {
  const policy = new Policy(role, 'keys', { roles: [role] });
  for (const key of keys)
    if (isReader) key.grantDecrypt(policy);
    else key.grantEncryptDecrypt(policy);
  if (Stack.of(table) === Stack.of(role)) table.node.addDependency(policy);
}

export const createVariables = (shared: SharedProps): Record<string, string> => ({
  TABLE_NAME: shared.table.tableName,
  // When a restored table returns to the stack, CDK publishes new versions, because TABLE_NAME becomes a reference.
  // Lambda rejects a version without any change, so this variable changes too.
  ...(Token.isUnresolved(shared.table.tableName) ? {} : { TABLE_IMPORTED: 'on' }),
  ...createFieldVariables(shared.fields),
  ...createSettingVariables('every function', shared),
});

/**
 * Rejects requests without a verified identity, even if API Gateway passes them on. Off for `sam local`, which verifies
 * no identities.
 */
export const createAuthorizerVariables = (
  required: 'iam' | 'jwt' | undefined,
  { databaseEndpoint }: SharedProps,
): Record<string, string> => (required && !databaseEndpoint ? { REQUIRED_AUTHORIZER: required } : {});

export const createRightVariables = ({ scopes }: Tokens, shared: SharedProps): Record<string, string> => ({
  AUTH_READ_SCOPE: scopes.read,
  ...(scopes.list === scopes.read ? {} : { AUTH_LIST_SCOPE: scopes.list }),
  AUTH_HISTORY_SCOPE: scopes.history,
  AUTH_WRITE_SCOPE: scopes.write,
  AUTH_ERASE_SCOPE: scopes.erase,
  ...createGroupVariables(shared),
  ...(findSubject(shared.fields)
    ? { AUTH_SELF_SCOPE: scopes.self, ...createSettingVariables('own records', shared) }
    : {}),
  ...(shared.groupClaim === undefined ? {} : { GROUP_SCOPE: scopes.group }),
});

const createGroupVariables = ({ requiredGroups: groups }: SharedProps): Record<string, string> => ({
  ...(groups.read ? { AUTH_READ_GROUP: groups.read } : {}),
  ...(groups.write ? { AUTH_WRITE_GROUP: groups.write } : {}),
  ...((groups.read ?? groups.write) ? { AUTH_GROUPS_CLAIM: groups.claim } : {}),
});

export function createSettingVariables(readers: Readers, shared: SharedProps): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const name of listVariables(readers)) {
    const value = shared[name];
    if (value === undefined || isDeepStrictEqual(value, settings.shape[name].safeParse(undefined).data)) continue;
    variables[toVariableName(name)] = toVariable(value);
  }
  return variables;
}

/** Subscriptions, events and `historyDays` read the change log. */
export const keepsChangeLog = ({ maxStreams, events, historyDays }: SharedProps): boolean =>
  maxStreams !== 0 || events || historyDays !== undefined;

export function createLogVariables(shared: SharedProps): Record<string, string> {
  return {
    ...(keepsChangeLog(shared) ? {} : { CHANGE_LOG: 'off' }),
    ...createSettingVariables('the change log', shared),
  };
}

/** `sam local` cannot receive streamed responses, which GraphQL sends if Lambda's global `awslambda` exists. */
const createLocalVariables = ({ databaseEndpoint }: SharedProps): Record<string, string> =>
  databaseEndpoint
    ? { AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint, AWS_LAMBDA_NODEJS_NO_GLOBAL_AWSLAMBDA: 'true' }
    : {};

/** https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html#configuration-vpc-permissions */
function allowNetworkInterfaces(role: Role): void {
  role.addManagedPolicy(ManagedPolicy.fromAwsManagedPolicyName('service-role/AWSLambdaVPCAccessExecutionRole'));
  acknowledge(role, {
    id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSLambdaVPCAccessExecutionRole]',
    reason: 'AWS maintains this policy for what Lambda does with network interfaces.',
  });
}
