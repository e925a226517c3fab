import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import {
  type CfnLogGroup,
  FilterPattern,
  type JsonPattern,
  LogGroup,
  MetricFilter,
  type MetricFilterProps,
  RetentionDays,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { PERSON_BLOCKED } from '../../lib/features/me/person-blocked.ts';
import { acknowledge } from './acknowledge.ts';
import type { UserManagementProps } from './props.ts';

export const INTERNAL_ERRORS = 'InternalErrors';
export const UNAVAILABLE = 'Unavailable';
/** Metric per route, from 0 to 1: share of the requests to one process that failed with an internal error. */
export const FAILURE_RATE = 'FailureRate';
/** One value per request: 1 for 401 or 403, otherwise 0. */
export const REJECTED = 'Rejected';
export const THROTTLED = 'Throttled';

/** Services in one account must not trigger each other's alarms. */
export const formatNamespace = (name: string): string => `UserManagement/${name}`;

type LogProps = Pick<UserManagementProps, 'logRetention' | 'removalPolicy'>;

/**
 * Kept when the stack is deleted, but not when the deploy that creates it fails. Not encrypted with the service's KMS
 * key, so errors are logged even if it is disabled. Logs contain no personal data.
 */
export const createLogGroup = (
  scope: Construct,
  id: string,
  { logRetention, removalPolicy }: LogProps,
  logGroupName?: string,
) =>
  new LogGroup(scope, id, {
    ...(logGroupName ? { logGroupName } : {}),
    retention: logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: removalPolicy ?? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });

const matchAny = (path: string, values: string[]) =>
  FilterPattern.any(...values.map((value) => FilterPattern.stringValue(path, '=', value)));

/** Lambda logs FATAL if it cannot start the code. */
const isInternalError = FilterPattern.all(
  matchAny('$.level', ['ERROR', 'FATAL']),
  FilterPattern.any(
    FilterPattern.notExists('$.message.errorType'),
    FilterPattern.stringValue('$.message.errorType', '!=', PERSON_BLOCKED),
  ),
);

/** GraphQL answers SERVICE_UNAVAILABLE with status 200. */
const isUnavailable = FilterPattern.stringValue('$.message.event', '=', 'unavailable');

type CountProps = Pick<MetricFilterProps, 'filterPattern' | 'metricName' | 'dimensions'> & { metricValue?: string };

const count = (logGroup: LogGroup, id: string, name: string, props: CountProps) =>
  new MetricFilter(logGroup, id, {
    metricValue: '1',
    ...props,
    logGroup,
    metricNamespace: formatNamespace(name),
  });

/** Lambda answers 429 without invoking a function. */
export const countThrottles = (logGroup: LogGroup, name: string) =>
  count(logGroup, 'throttled', name, {
    filterPattern: FilterPattern.stringValue('$.lambdaStatus', '=', '429'),
    metricName: THROTTLED,
  });

type Compare = (comparison: '=' | '!=', status: 401 | 403) => JsonPattern;

/** The access log also contains requests that API Gateway itself rejects. */
export const countRestRejections = (accessLog: LogGroup, name: string): void =>
  countRejections(accessLog, name, [], (comparison, status) =>
    FilterPattern.stringValue('$.status', comparison, String(status)),
  );

const countGraphqlRejections = (functionLog: LogGroup, name: string): void =>
  countRejections(
    functionLog,
    name,
    [FilterPattern.stringValue('$.message.route', '=', '* graphql')],
    (comparison, status) => FilterPattern.numberValue('$.message.status', comparison, status),
  );

function countRejections(logGroup: LogGroup, name: string, isRequest: JsonPattern[], compare: Compare): void {
  const rejected = FilterPattern.any(compare('=', 401), compare('=', 403));
  const others = FilterPattern.all(compare('!=', 401), compare('!=', 403));
  count(logGroup, 'rejected', name, {
    filterPattern: FilterPattern.all(...isRequest, rejected),
    metricName: REJECTED,
  });
  count(logGroup, 'not-rejected', name, {
    filterPattern: FilterPattern.all(...isRequest, others),
    metricName: REJECTED,
    metricValue: '0',
  });
}

export function createFunctionLogs(scope: Construct, props: LogProps & { name: string }): LogGroup {
  const logGroup = createLogGroup(scope, 'logs', props);
  const { name } = props;
  count(logGroup, 'internal-errors', name, { filterPattern: isInternalError, metricName: INTERNAL_ERRORS });
  count(logGroup, 'unavailable', name, { filterPattern: isUnavailable, metricName: UNAVAILABLE });
  count(logGroup, 'failure-rate', name, {
    filterPattern: FilterPattern.numberValue('$.message.failureRate', '>', 0),
    metricName: FAILURE_RATE,
    metricValue: '$.message.failureRate',
    dimensions: { Route: '$.message.route' },
  });
  countGraphqlRejections(logGroup, name);
  return logGroup;
}

/** Allows logging to former groups, too: a canary or rollback invokes older versions, which may use one. */
export function allowLogging(role: Role, logGroup: LogGroup): void {
  const stack = Stack.of(role);
  // Groups are named `<stack>-<logical id>-<random>`. The logical id excludes groups of other stacks.
  const logicalId = stack.getLogicalId(logGroup.node.defaultChild as CfnLogGroup); // The default child of a LogGroup is a CfnLogGroup.
  const arn = stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: `${stack.stackName}-${logicalId}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const actions = ['logs:CreateLogStream', 'logs:PutLogEvents'];
  role.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [arn] }));
  acknowledge(role, {
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:<AWS::StackName>-${logicalId}-*]`,
    reason: 'The wildcard stands for the log group of the functions, also those of earlier deploys.',
  });
}
