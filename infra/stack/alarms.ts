import { Duration, Stack } from 'aws-cdk-lib';
import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import { tableSchema } from './table-schema.ts';

/** Of each stack its own, so that two of one account do not set off each other's alarms. */
export const metricNamespace = (scope: IConstruct) => `UserManagement/${Stack.of(scope).stackName}`;
export const FAULTS = 'Faults';
export const UNAVAILABLE = 'Unavailable';

/** What the alarms watch. */
export type MonitoredResources = {
  stage: HttpStage;
  table: ITableV2;
  functions: LambdaFunction[];
  changes: { function: LambdaFunction; deadLetters: Queue };
};

/** An alarm rings when its metric is at the threshold or above in three minutes of five, unless it says otherwise. */
export type AlarmSpec = {
  name: string;
  /** What it means; what to do stands in the runbook under the same name. */
  meaning: string;
  metric: IMetric;
  threshold: number;
  minutes?: number;
  missing?: TreatMissingData;
  /** Whether a deploy that sets it off is rolled back. */
  rollsBack?: boolean;
};

const everyMinute = { period: Duration.minutes(1) };
const sum = { ...everyMinute, statistic: 'Sum' };

/** A metric without events has no value rather than 0, and a sum with it would have none either. */
const total = (usingMetrics: Record<string, IMetric>, label: string) => {
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, label, ...everyMinute });
};

const errorRate = (stage: HttpStage) =>
  new MathExpression({
    // A handful of requests says nothing of a rate.
    expression: 'IF(requests >= 20, 100 * errors / requests, 0)',
    usingMetrics: { errors: stage.metricServerError(sum), requests: stage.metricCount(sum) },
    label: '5xx, percent of requests',
    ...everyMinute,
  });

const functionThrottles = (functions: LambdaFunction[]) =>
  total(Object.fromEntries(functions.map((one, at) => [`f${at}`, one.metricThrottles(sum)])), 'throttled invocations');

function tableThrottles({ tableName }: ITableV2) {
  const throttles = (metricName: string, index = {}) =>
    new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap: { TableName: tableName, ...index }, ...sum });
  const index = { GlobalSecondaryIndexName: tableSchema.index.name };
  return total(
    {
      reads: throttles('ReadThrottleEvents'),
      writes: throttles('WriteThrottleEvents'),
      indexReads: throttles('ReadThrottleEvents', index),
      indexWrites: throttles('WriteThrottleEvents', index),
    },
    'throttled reads and writes',
  );
}

/** Every alarm of the stack. */
export const alarmSpecs = ({ stage, table, functions, changes }: MonitoredResources): AlarmSpec[] => [
  {
    name: 'server-errors',
    meaning: 'One in a hundred REST requests or more is answered with 5xx.',
    metric: errorRate(stage),
    threshold: 1,
    rollsBack: true,
  },
  {
    name: 'faults',
    meaning: 'A function crashed, timed out, or logged a failure that nobody foresaw.',
    metric: new Metric({ namespace: metricNamespace(table), metricName: FAULTS, ...sum }),
    threshold: 1,
    minutes: 1,
    rollsBack: true,
  },
  {
    name: 'unavailable',
    meaning: 'Ten callers a minute or more, of either door, were sent away for now: the table gave no answer in time.',
    metric: new Metric({ namespace: metricNamespace(table), metricName: UNAVAILABLE, ...sum }),
    threshold: 10,
    rollsBack: true,
  },
  {
    name: 'latency',
    meaning: 'The slowest hundredth of the REST requests takes 1.5 s or more.',
    metric: stage.metricLatency({ ...everyMinute, statistic: 'p99' }),
    threshold: 1_500,
    rollsBack: true,
  },
  {
    name: 'function-throttles',
    meaning: 'Lambda refuses invocations: the account, or a function, is at its concurrency.',
    metric: functionThrottles(functions),
    threshold: 1,
  },
  {
    name: 'table-throttles',
    meaning: 'DynamoDB refuses reads or writes: a partition, or the table, is at its throughput.',
    metric: tableThrottles(table),
    threshold: 1,
  },
  {
    name: 'dead-letters',
    meaning: 'Changes were given up: subscribers missed them, or posts of deleted users are left.',
    metric: changes.deadLetters.metricApproximateNumberOfMessagesVisible({ ...everyMinute, statistic: 'Maximum' }),
    threshold: 1,
    minutes: 1,
  },
  {
    name: 'stream-age',
    meaning: 'Changes wait a minute or more for on-change: subscribers hear late.',
    metric: changes.function.metric('IteratorAge', {
      ...everyMinute,
      statistic: 'Maximum',
    }),
    threshold: 60_000,
  },
  {
    name: 'index-age',
    meaning: 'Users have waited five minutes or more for their page, or index-pages says nothing: pages become slower.',
    metric: new Metric({
      namespace: metricNamespace(table),
      metricName: 'IndexAgeSeconds',
      ...everyMinute,
      statistic: 'Maximum',
    }),
    threshold: 300,
    missing: TreatMissingData.BREACHING,
  },
];
