import { Duration } from 'aws-cdk-lib';
import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { tableSchema } from '../../lib/dynamodb/keys.ts';
import type { GraphqlWebFunction } from './graphql-web-function.ts';
import { FAULTS, getMetricNamespace, UNAVAILABLE } from './logs.ts';
import type { SharedProps } from './service-function.ts';

export const perMinute = { period: Duration.minutes(1) };
export const sumPerMinute = { ...perMinute, statistic: 'Sum' };
const maxPerMinute = { ...perMinute, statistic: 'Maximum' };

export type MonitoredResources = Pick<SharedProps, 'name' | 'table'> & {
  stage: HttpStage;
  functions: LambdaFunction[];
  /** Web functions have other metrics than functions. */
  servers: GraphqlWebFunction[];
  changes: MonitoredConsumer;
  events: MonitoredConsumer | undefined;
};

type MonitoredConsumer = { function: LambdaFunction; deadLetters: Queue; sourceId: string };

/** An alarm fires when its metric is at or above the threshold in three of five minutes, or in `minutes` in a row. */
export type AlarmSpec = {
  name: string;
  /** What the alarm means, in a sentence. The runbook lists what to do under the same name. */
  meaning: string;
  metric: IMetric;
  threshold: number;
  minutes?: number;
  /**
   * If this is true, the alarm also notifies when its metric stops. It has no data until the first minutes after the first deploy,
   * when its state is INSUFFICIENT_DATA without having changed to it, so that it does not notify then.
   */
  needsData?: boolean;
  /** If this is true, a canary deployment is rolled back when the alarm fires. */
  rollsBack?: boolean;
};

export const createAlarmSpecs = ({
  name,
  stage,
  table,
  functions,
  servers,
  changes,
  events,
}: MonitoredResources): AlarmSpec[] => [
  {
    name: 'server-errors',
    meaning: 'At least 1 percent of the REST requests are answered with 5xx.',
    metric: measureErrorRate(stage),
    threshold: 1,
    rollsBack: true,
  },
  {
    name: 'faults',
    meaning: 'A function crashed, timed out or logged an internal error.',
    metric: new Metric({ namespace: getMetricNamespace({ name }), metricName: FAULTS, ...sumPerMinute }),
    threshold: 1,
    minutes: 1,
    rollsBack: true,
  },
  ...servers.map((server) => ({
    name: 'graphql-errors',
    meaning: 'At least 10 GraphQL requests a minute are answered with 5xx, by the web function or in its place.',
    metric: server.metricServerErrors(sumPerMinute),
    threshold: 10,
    rollsBack: true,
  })),
  {
    name: 'unavailable',
    meaning: 'At least 10 requests a minute, REST or GraphQL, got SERVICE_UNAVAILABLE because DynamoDB did not answer.',
    metric: new Metric({ namespace: getMetricNamespace({ name }), metricName: UNAVAILABLE, ...sumPerMinute }),
    threshold: 10,
    rollsBack: true,
  },
  {
    name: 'latency',
    meaning: 'The p99 latency of REST requests is 1.5 s or more.',
    metric: stage.metricLatency({ ...perMinute, statistic: 'p99' }),
    threshold: 1_500,
    rollsBack: true,
  },
  {
    name: 'function-throttles',
    meaning: 'Lambda throttles invocations: the account or a function has reached its concurrency limit.',
    metric: countFunctionThrottles(functions),
    threshold: 1,
  },
  {
    name: 'table-throttles',
    meaning: 'DynamoDB throttles reads or writes: a partition or the table has reached its throughput limit.',
    metric: countTableThrottles(table),
    threshold: 1,
  },
  ...createConsumerSpecs('', changes, {
    deadLetters: 'on-change gave up on changes: subscribers missed them, or posts of deleted users remain.',
    age: 'Changes wait a minute or more for on-change: subscribers receive them late.',
    stopped: "on-change is not connected to the table's stream: subscribers receive nothing.",
  }),
  ...(events
    ? createConsumerSpecs('event-', events, {
        deadLetters: 'publish-events gave up on changes: the event bus did not receive them.',
        age: 'Changes wait a minute or more for publish-events: the event bus receives them late.',
        stopped: "publish-events is not connected to the table's stream: the event bus receives nothing.",
      })
    : []),
  {
    name: 'index-age',
    meaning: 'New users have waited five minutes or more to be indexed, or index-pages does not run: pages get slower.',
    metric: new Metric({ namespace: getMetricNamespace({ name }), metricName: 'IndexAgeSeconds', ...maxPerMinute }),
    threshold: 300,
    needsData: true,
  },
];

type ConsumerMeanings = { deadLetters: string; age: string; stopped: string };

/** The names of the alarms on a consumer of the stream begin with `prefix`. */
const createConsumerSpecs = (
  prefix: string,
  consumer: MonitoredConsumer,
  { deadLetters, age, stopped }: ConsumerMeanings,
): AlarmSpec[] => [
  {
    name: `${prefix}dead-letters`,
    meaning: deadLetters,
    metric: consumer.deadLetters.metricApproximateNumberOfMessagesVisible(maxPerMinute),
    threshold: 1,
    minutes: 1,
  },
  {
    name: `${prefix}stream-age`,
    meaning: age,
    metric: consumer.function.metric('IteratorAge', maxPerMinute),
    threshold: 60_000,
  },
  {
    name: `${prefix}stream-stopped`,
    meaning: stopped,
    metric: countPolledRecords(consumer.sourceId),
    // The threshold is never reached: Lambda counts 0 while the stream is idle, and nothing when it does not poll.
    threshold: Number.MAX_SAFE_INTEGER,
    needsData: true,
  },
];

/** A metric without events has no value instead of 0, and a sum that includes it would have none either. */
function sumMetrics(usingMetrics: Record<string, IMetric>, label: string): MathExpression {
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, label, ...perMinute });
}

/** The rate is 0 with fewer than 20 requests a minute, of which it would say little. */
const measureErrorRate = (stage: HttpStage) =>
  new MathExpression({
    expression: 'IF(requests >= 20, 100 * errors / requests, 0)',
    usingMetrics: { errors: stage.metricServerError(sumPerMinute), requests: stage.metricCount(sumPerMinute) },
    label: '5xx, percent of requests',
    ...perMinute,
  });

const countFunctionThrottles = (functions: LambdaFunction[]) =>
  sumMetrics(
    Object.fromEntries(functions.map((each, index) => [`f${index}`, each.metricThrottles(sumPerMinute)])),
    'throttled invocations',
  );

function countTableThrottles({ tableName }: ITableV2): MathExpression {
  const count = (metricName: string, dimensions: Record<string, string> = {}) =>
    new Metric({
      namespace: 'AWS/DynamoDB',
      metricName,
      dimensionsMap: { TableName: tableName, ...dimensions },
      ...sumPerMinute,
    });
  const index = { GlobalSecondaryIndexName: tableSchema.index.name };
  return sumMetrics(
    {
      reads: count('ReadThrottleEvents'),
      writes: count('WriteThrottleEvents'),
      indexReads: count('ReadThrottleEvents', index),
      indexWrites: count('WriteThrottleEvents', index),
    },
    'throttled reads and writes',
  );
}

/** The records that Lambda has read from the stream: 0 while the stream is idle, no data while it is not read. */
const countPolledRecords = (EventSourceMappingUUID: string) =>
  new Metric({
    namespace: 'AWS/Lambda',
    metricName: 'PolledEventCount',
    dimensionsMap: { EventSourceMappingUUID },
    ...sumPerMinute,
  });
