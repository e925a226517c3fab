import { FilterPattern, type IFilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { FAULTS, metricNamespace, UNAVAILABLE } from './alarms.ts';
import type { SharedProps } from './service-function.ts';

export const addLogs = (scope: Construct, id: string, { settings, key }: Pick<SharedProps, 'settings' | 'key'>) =>
  new LogGroup(scope, id, {
    retention: settings.logRetentionDays,
    ...(key ? { encryptionKey: key } : {}),
  });

/**
 * What a function logs as an error, and what Lambda reports of one that crashed or ran out of time.
 * https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-advanced.html
 */
const fault: IFilterPattern = FilterPattern.any(
  FilterPattern.stringValue('$.level', '=', 'ERROR'),
  FilterPattern.stringValue('$.level', '=', 'FATAL'),
  FilterPattern.stringValue('$.record.status', '=', 'error'),
  FilterPattern.stringValue('$.record.status', '=', 'timeout'),
);

/** What lib/log.ts says of a caller who was sent away: GraphQL tells it in an answer that is 200. */
const unavailable: IFilterPattern = FilterPattern.stringValue('$.message.event', '=', 'unavailable');

/** One metric each for all functions: the log says whose it is. */
export function countFailures(logGroup: LogGroup): void {
  for (const [metricName, filterPattern] of Object.entries({ [FAULTS]: fault, [UNAVAILABLE]: unavailable }))
    new MetricFilter(logGroup, metricName.toLowerCase(), {
      logGroup,
      filterPattern,
      metricNamespace: metricNamespace(logGroup),
      metricName,
      metricValue: '1',
    });
}
