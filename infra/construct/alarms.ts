import { Duration } from 'aws-cdk-lib';
import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { tableSchema } from '../../lib/dynamodb/keys.ts';
import type { GraphqlWebFunction } from './graphql-web-function.ts';
import { FAULTS, getMetricNamespace, UNAVAILABLE } from './logs.ts';
import type { SharedProps } from './service-function.ts';

export const perMinute = { period: Duration.minutes(1) };
export const sumPerMinute = { ...perMinute, statistic: 'Sum' };
const maxPerMinute = { ...perMinute, statistic: 'Maximum' };

export type MonitoredResources = Pick<SharedProps, 'name' | 'table' | 'logGroup'> & {
  stage: HttpStage;
  functions: LambdaFunction[];
  /** Web functions have other metrics than functions. */
  servers: GraphqlWebFunction[];
  changes: MonitoredConsumer;
  events: MonitoredConsumer | undefined;
};

type MonitoredConsumer = { function: LambdaFunction; deadLetters: Queue };

/** Fires when the metric is at or above the threshold in `breaching` of `evaluated` minutes. */
export type Evaluation = { breaching: number; evaluated: number };

/** Most alarms are about what lasts. */
const LASTING: Evaluation = { breaching: 3, evaluated: 5 };
/**
 * Those that roll back must fire within the five minutes of a canary, in which a minute may have begun before it, and CloudWatch has a
 * metric up to two minutes late.
 */
const WITHIN_CANARY: Evaluation = { breaching: 2, evaluated: 3 };
const AT_ONCE: Evaluation = { breaching: 1, evaluated: 1 };

export type AlarmSpec = {
  name: string;
  /** What the alarm means, in a sentence. The runbook lists what to do under the same name. */
  meaning: string;
  metric: IMetric;
  threshold: number;
  evaluation: Evaluation;
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
  logGroup,
  servers,
  changes,
  events,
}: MonitoredResources): AlarmSpec[] => [
  {
    name: 'server-errors',
    meaning: 'At least 1 percent of the REST requests are answered with 5xx.',
    metric: measureErrorRate(stage),
    threshold: 1,
    evaluation: WITHIN_CANARY,
    rollsBack: true,
  },
  {
    name: 'faults',
    meaning:
      'Functions crashed, timed out or logged internal errors: at least one in 1,000 log lines of a minute, or one of fewer.',
    metric: measureFaults(name, logGroup),
    threshold: 1,
    evaluation: AT_ONCE,
    rollsBack: true,
  },
  ...servers.map((server) => ({
    name: 'graphql-errors',
    meaning: 'At least 10 GraphQL requests a minute are answered with 5xx, by the web function or in its place.',
    metric: server.metricServerErrors(sumPerMinute),
    threshold: 10,
    evaluation: WITHIN_CANARY,
    rollsBack: true,
  })),
  {
    name: 'unavailable',
    meaning: 'At least 10 requests a minute, REST or GraphQL, got SERVICE_UNAVAILABLE because DynamoDB did not answer.',
    metric: new Metric({ namespace: getMetricNamespace({ name }), metricName: UNAVAILABLE, ...sumPerMinute }),
    threshold: 10,
    evaluation: WITHIN_CANARY,
    rollsBack: true,
  },
  {
    name: 'latency',
    meaning: 'The p99 latency of REST requests is 1.5 s or more.',
    metric: stage.metricLatency({ ...perMinute, statistic: 'p99' }),
    threshold: 1_500,
    evaluation: WITHIN_CANARY,
    rollsBack: true,
  },
  {
    name: 'function-throttles',
    meaning:
      'Lambda throttles invocations in this account and region: it, or a function, has reached its concurrency limit.',
    // Each function's own metric would be another of the alarm, and all functions share the limit of the account.
    metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', ...sumPerMinute }),
    threshold: 1,
    evaluation: LASTING,
  },
  {
    name: 'table-throttles',
    meaning: 'DynamoDB throttles reads or writes: a partition or the table has reached its throughput limit.',
    metric: countTableThrottles(table),
    threshold: 1,
    evaluation: LASTING,
  },
  ...createConsumerSpecs('', changes, {
    deadLetters: 'on-change gave up on changes: subscribers missed them, or posts of deleted users remain.',
    age: 'Changes wait a minute or more for on-change, or it receives none: subscribers get them late, or not at all.',
  }),
  ...(events
    ? createConsumerSpecs('event-', events, {
        deadLetters: 'publish-events gave up on changes: the event bus did not receive them.',
        age: 'Changes wait a minute or more for publish-events, or it receives none: the event bus gets them late, or not at all.',
      })
    : []),
  {
    name: 'index-age',
    meaning: 'New users have waited five minutes or more to be indexed, or index-pages does not run: pages get slower.',
    metric: new Metric({ namespace: getMetricNamespace({ name }), metricName: 'IndexAgeSeconds', ...maxPerMinute }),
    threshold: 300,
    evaluation: LASTING,
    needsData: true,
  },
];

type ConsumerMeanings = { deadLetters: string; age: string };

/** The names of the alarms on a consumer of the stream begin with `prefix`. */
const createConsumerSpecs = (
  prefix: string,
  consumer: MonitoredConsumer,
  { deadLetters, age }: ConsumerMeanings,
): AlarmSpec[] => [
  {
    name: `${prefix}dead-letters`,
    meaning: deadLetters,
    metric: consumer.deadLetters.metricApproximateNumberOfMessagesVisible(maxPerMinute),
    threshold: 1,
    evaluation: AT_ONCE,
  },
  {
    name: `${prefix}stream-age`,
    meaning: age,
    // A heartbeat each minute gives it data.
    metric: consumer.function.metric('IteratorAge', maxPerMinute),
    threshold: 60_000,
    evaluation: LASTING,
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

const measureErrorRate = (stage: HttpStage) =>
  new MathExpression({
    expression: '100 * errors / requests',
    usingMetrics: { errors: stage.metricServerError(sumPerMinute), requests: stage.metricCount(sumPerMinute) },
    label: '5xx, percent of requests',
    ...perMinute,
  });

/**
 * One time-out among 60,000 requests is not worth an alarm, and one of five requests is. Each request writes a line, to a REST function or to
 * GraphQL, by a Function URL or a web function, so CloudWatch's own count of lines stands for the number of requests.
 */
const measureFaults = (name: string, { logGroupName }: ILogGroup) =>
  new MathExpression({
    expression: '1000 * faults / (1 + lines)',
    usingMetrics: {
      faults: new Metric({ namespace: getMetricNamespace({ name }), metricName: FAULTS, ...sumPerMinute }),
      lines: new Metric({
        namespace: 'AWS/Logs',
        metricName: 'IncomingLogEvents',
        dimensionsMap: { LogGroupName: logGroupName },
        ...sumPerMinute,
      }),
    },
    label: 'faults in 1,000 log lines',
    ...perMinute,
  });

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
