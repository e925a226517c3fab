import { FilterPattern, type IFilterPattern, LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { FAULTS, namespaceOf } from './alarms.ts';
import type { Surroundings } from './service-function.ts';

export const addLogs = (scope: Construct, id: string, { settings, key }: Pick<Surroundings, 'settings' | 'key'>) =>
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

/** One metric for the faults of all functions: the log says whose they are. */
export const countFaults = (logGroup: LogGroup) =>
  new MetricFilter(logGroup, 'faults', {
    logGroup,
    filterPattern: fault,
    metricNamespace: namespaceOf(logGroup),
    metricName: FAULTS,
    metricValue: '1',
  });
