import { RemovalPolicy } from 'aws-cdk-lib';
import { FilterPattern, type IFilterPattern, LogGroup, MetricFilter, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { SharedProps } from './service-function.ts';

/** The metrics of failures, and the alarms on them, have these names. */
export const FAULTS = 'Faults';
export const UNAVAILABLE = 'Unavailable';

/** Each service has a namespace: the metrics of two in one account must not trigger each other's alarms. */
export const getMetricNamespace = ({ name }: Pick<SharedProps, 'name'>) => `UserManagement/${name}`;

/** Logs are kept when the stack is deleted, but not when the deploy that creates them fails, unless removalPolicy says otherwise. */
export const createLogGroup = (
  scope: Construct,
  id: string,
  { logRetention, removalPolicy, key }: Pick<SharedProps, 'logRetention' | 'removalPolicy' | 'key'>,
  logGroupName?: string,
) =>
  new LogGroup(scope, id, {
    ...(logGroupName ? { logGroupName } : {}),
    retention: logRetention ?? RetentionDays.ONE_MONTH,
    removalPolicy: removalPolicy ?? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    ...(key ? { encryptionKey: key } : {}),
  });

/**
 * A filter pattern for what a function logs as an error, and what Lambda reports when it crashed or timed out.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-advanced.html
 */
const isFault: IFilterPattern = FilterPattern.any(
  FilterPattern.stringValue('$.level', '=', 'ERROR'),
  FilterPattern.stringValue('$.level', '=', 'FATAL'),
  FilterPattern.stringValue('$.record.status', '=', 'error'),
  FilterPattern.stringValue('$.record.status', '=', 'timeout'),
);

/** lib/log.ts logs it. GraphQL reports SERVICE_UNAVAILABLE in a response with status 200, so no 5xx metric counts it. */
const isUnavailable: IFilterPattern = FilterPattern.stringValue('$.message.event', '=', 'unavailable');

/** Counts the failures of all functions in one metric each; the log group tells which function failed. */
export function countFailures(logGroup: LogGroup, shared: Pick<SharedProps, 'name'>): void {
  for (const [metricName, filterPattern] of Object.entries({ [FAULTS]: isFault, [UNAVAILABLE]: isUnavailable }))
    new MetricFilter(logGroup, metricName.toLowerCase(), {
      logGroup,
      filterPattern,
      metricNamespace: getMetricNamespace(shared),
      metricName,
      metricValue: '1',
    });
}
