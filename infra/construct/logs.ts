import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import {
  type CfnLogGroup,
  FilterPattern,
  LogGroup,
  MetricFilter,
  type MetricFilterProps,
  RetentionDays,
} from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { SharedProps } from './service-function.ts';

export const INTERNAL_ERRORS = 'InternalErrors';
export const UNAVAILABLE = 'Unavailable';
/** Share of a process's requests with an internal error, by route. */
export const FAILURE_RATE = 'FailureRate';
/** 1 for a response with 401 or 403, otherwise 0. */
export const REJECTED = 'Rejected';
/** REST requests throttled by Lambda. */
export const THROTTLED = 'Throttled';

/** One namespace per service: two services of an account must not trigger each other's alarms. */
export const getMetricNamespace = ({ name }: Pick<SharedProps, 'name'>) => `UserManagement/${name}`;

type LogProps = Pick<SharedProps, 'logRetention' | 'removalPolicy'>;

/**
 * Keeps logs when the stack is deleted, but not when the deploy that creates them fails. Logs hold no personal data and do not use the
 * service's key, so they can report that it is disabled.
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

/** Logged errors. Lambda logs FATAL if code cannot be started. */
const isInternalError = matchAny('$.level', ['ERROR', 'FATAL']);

/** From lib/log.ts. GraphQL answers SERVICE_UNAVAILABLE with status 200, so 5xx metrics miss it. */
const isUnavailable = FilterPattern.stringValue('$.message.event', '=', 'unavailable');

type CountProps = Pick<MetricFilterProps, 'filterPattern' | 'metricName' | 'dimensions'> & { metricValue?: string };

const count = (logGroup: LogGroup, id: string, name: string, props: CountProps) =>
  new MetricFilter(logGroup, id, {
    metricValue: '1',
    ...props,
    logGroup,
    metricNamespace: getMetricNamespace({ name }),
  });

/** Lambda's 429 responses reach no function, so this reads the access log. */
export const countThrottles = (logGroup: LogGroup, name: string) =>
  count(logGroup, 'throttled', name, {
    filterPattern: FilterPattern.stringValue('$.lambdaStatus', '=', '429'),
    metricName: THROTTLED,
  });

/** Writes REJECTED. The access log covers all REST requests, even those that reach no function. */
export function countRejections(logGroup: LogGroup, name: string, source: 'access log' | 'GraphQL'): void {
  const compare = (comparison: '=' | '!=', status: number) =>
    source === 'GraphQL'
      ? FilterPattern.numberValue('$.message.status', comparison, status)
      : FilterPattern.stringValue('$.status', comparison, String(status));
  const isGraphql = source === 'GraphQL' ? [FilterPattern.stringValue('$.message.route', '=', '* graphql')] : [];
  const rejected = FilterPattern.any(compare('=', 401), compare('=', 403));
  const others = FilterPattern.all(compare('!=', 401), compare('!=', 403));
  count(logGroup, 'rejected', name, {
    filterPattern: FilterPattern.all(...isGraphql, rejected),
    metricName: REJECTED,
  });
  count(logGroup, 'not-rejected', name, {
    filterPattern: FilterPattern.all(...isGraphql, others),
    metricName: REJECTED,
    metricValue: '0',
  });
}

/**
 * One group for all functions: CloudFormation limits the resources of a stack. Lambda prefixes each log stream with the function's name.
 */
export function createFunctionLogs(scope: Construct, props: LogProps & Pick<SharedProps, 'name'>): LogGroup {
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
  countRejections(logGroup, name, 'GraphQL');
  return logGroup;
}

/**
 * Lets a function write to all log groups of its stack. Older versions, invoked by a canary or rollback, use the current role but their
 * former group.
 */
export function allowLogging(role: Role, logGroup: LogGroup): void {
  const stack = Stack.of(role);
  // CloudFormation names the groups `<stack>-<logical id>-<random>`. The name of another stack may start with this one's.
  const logicalId = stack.getLogicalId(logGroup.node.defaultChild as CfnLogGroup); // The default child of a LogGroup is a CfnLogGroup.
  const groups = `${stack.stackName}-${logicalId}-*`;
  const arn = stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: groups,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const actions = ['logs:CreateLogStream', 'logs:PutLogEvents'];
  role.addToPrincipalPolicy(new PolicyStatement({ actions, resources: [arn] }));
  acknowledge(role, {
    id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:logs:<AWS::Region>:<AWS::AccountId>:log-group:${groups}]`,
    reason: 'The wildcard stands for the log group of the functions, also those of earlier deploys.',
  });
}
