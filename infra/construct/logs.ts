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

/** Names of the metrics that CloudWatch counts in log lines. */
export const INTERNAL_ERRORS = 'InternalErrors';
export const UNAVAILABLE = 'Unavailable';
/** The part of the requests of a process that ended with an internal error, by route. */
export const FAILURE_RATE = 'FailureRate';
/** Is 1 for a request with status 401 or 403, and 0 for others. */
export const REJECTED = 'Rejected';
/** Requests of REST that Lambda throttled. */
export const THROTTLED = 'Throttled';

/** Each service has a namespace: the metrics of two in one account must not trigger each other's alarms. */
export const getMetricNamespace = ({ name }: Pick<SharedProps, 'name'>) => `UserManagement/${name}`;

type LogProps = Pick<SharedProps, 'logRetention' | 'removalPolicy'>;

/**
 * Logs are kept when the stack is deleted, but not when the deploy that creates them fails, unless removalPolicy says otherwise.
 * They hold no personal data, and are not encrypted with the service's key: they have to tell that it is disabled.
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

/** Matches errors that functions log. Lambda logs errors of code that could not be started with the level FATAL. */
const isInternalError = matchAny('$.level', ['ERROR', 'FATAL']);

/** lib/log.ts logs it. GraphQL reports SERVICE_UNAVAILABLE in a response with status 200, so no 5xx metric counts it. */
const isUnavailable = FilterPattern.stringValue('$.message.event', '=', 'unavailable');

type CountProps = Pick<MetricFilterProps, 'filterPattern' | 'metricName' | 'dimensions'> & { metricValue?: string };

/** Writes a metric of the service from the matching lines of a log group: 1 for each, unless `metricValue` says otherwise. */
const count = (logGroup: LogGroup, id: string, name: string, props: CountProps) =>
  new MetricFilter(logGroup, id, {
    metricValue: '1',
    ...props,
    logGroup,
    metricNamespace: getMetricNamespace({ name }),
  });

/** Writes THROTTLED from the access log: Lambda answers 429 in place of a function. */
export const countThrottles = (logGroup: LogGroup, name: string) =>
  count(logGroup, 'throttled', name, {
    filterPattern: FilterPattern.stringValue('$.lambdaStatus', '=', '429'),
    metricName: THROTTLED,
  });

/** Writes REJECTED from lines with a status. The access log has all REST requests, even if they reach no function. */
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
 * All functions log to one group, where Lambda names each stream after its function. Filters count for all functions, as CloudFormation limits
 * the resources of a stack.
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
 * Lets a function log to the groups of its stack: versions of earlier deploys, which a canary or a rollback invokes, write to
 * the group that their deploy had, with the role of today.
 */
export function allowLogging(role: Role, logGroup: LogGroup): void {
  const stack = Stack.of(role);
  // CloudFormation names the groups <stack>-<logical id>-<random>. Another stack's name may start with this stack's name.
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
