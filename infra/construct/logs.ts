import { ArnFormat, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, type IFilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { SharedProps } from './service-function.ts';

/** The metrics of failures, and the alarms on them, have these names. */
export const FAULTS = 'Faults';
export const UNAVAILABLE = 'Unavailable';

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

/**
 * A filter pattern for what a function logs as an error, and for what Lambda reports, once each, when code crashed, timed out, ran out of memory or
 * could not be initialized. https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
const isFault: IFilterPattern = FilterPattern.any(
  matchAny('$.level', ['ERROR', 'FATAL']),
  FilterPattern.all(
    matchAny('$.type', ['platform.report', 'platform.initReport', 'platform.invokeReport']),
    matchAny('$.record.status', ['error', 'timeout', 'failure']),
  ),
);

/** lib/log.ts logs it. GraphQL reports SERVICE_UNAVAILABLE in a response with status 200, so no 5xx metric counts it. */
const isUnavailable: IFilterPattern = FilterPattern.stringValue('$.message.event', '=', 'unavailable');

/**
 * All functions log to one group, where Lambda names each stream after its function. Two filters count their failures, whatever
 * their number: CloudFormation limits the resources of a stack.
 */
export function createFunctionLogs(scope: Construct, props: LogProps & Pick<SharedProps, 'name'>): LogGroup {
  const logGroup = createLogGroup(scope, 'logs', props);
  for (const [metricName, filterPattern] of Object.entries({ [FAULTS]: isFault, [UNAVAILABLE]: isUnavailable }))
    new MetricFilter(logGroup, metricName.toLowerCase(), {
      logGroup,
      filterPattern,
      metricNamespace: getMetricNamespace(props),
      metricName,
      metricValue: '1',
    });
  return logGroup;
}

/**
 * Lets a function log to the groups of its stack: versions of earlier deploys, which a canary or a rollback invokes, write to
 * the group that their deploy had, with the role of today.
 */
export function allowLogging(role: Role): void {
  const stack = Stack.of(role);
  // CloudFormation names the groups <stack>-<logical id>-<random>.
  const groups = `${stack.stackName}-*`;
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
    reason: 'The wildcard stands for the log groups of this stack, also those of its earlier deploys.',
  });
}
