import { Duration, Fn } from 'aws-cdk-lib';
import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Rule } from 'aws-cdk-lib/aws-events';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { tableSchema } from '../../lib/dynamodb/keys.ts';
import { FAILURE_RATE, formatNamespace, INTERNAL_ERRORS, REJECTED, THROTTLED, UNAVAILABLE } from './logs.ts';
import type { SharedProps } from './service-function.ts';

export const perMinute = { period: Duration.minutes(1) };
export const sumPerMinute = { ...perMinute, statistic: 'Sum' };
const maxPerMinute = { ...perMinute, statistic: 'Maximum' };

/**
 * The metrics include requests that Lambda rejects without invoking the function. `latency` is in milliseconds.
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-monitoring.html
 */
export type GraphqlMetrics = { serverErrors: Metric; throttles?: Metric; latency?: Metric };

export type MonitoredResources = Pick<SharedProps, 'name' | 'table'> & {
  stage: HttpStage;
  /** Functions of REST and GraphQL, `post-webhook`, and `customize-token` unless it refuses sign-ins. */
  requestFunctions: LambdaFunction[];
  backgroundFunctions: LambdaFunction[];
  graphql: GraphqlMetrics;
  changes: MonitoredConsumer;
  events: MonitoredConsumer | undefined;
  webhook: Webhook | undefined;
  /** Rules of the default event bus, without dead-letter queues. */
  rules: Rule[];
};

type Webhook = Pick<MonitoredConsumer, 'deadLetters'> & { rule: Rule; busName: string };

type MonitoredConsumer = { function: LambdaFunction; deadLetters: Queue };

type Evaluation = { breaching: number; evaluated: number };

const LASTING: Evaluation = { breaching: 3, evaluated: 5 };
/**
 * Fires early enough to roll back a canary deployment, which lasts five minutes: the first minute may be partial, and
 * metrics arrive up to two minutes late.
 */
const WITHIN_CANARY: Evaluation = { breaching: 2, evaluated: 3 };
const AT_ONCE: Evaluation = { breaching: 1, evaluated: 1 };
/** For `FILL`, which replaces values of the latest minutes that have not arrived yet. */
const ONCE_IN_THREE_MINUTES: Evaluation = { breaching: 1, evaluated: 3 };

export type AlarmSpec = {
  name: string;
  meaning: string;
  metric: IMetric;
  threshold: number;
  evaluation: Evaluation;
  /** Also notifies when the metric stops having data. */
  needsData?: boolean;
  rollsBack?: boolean;
};

export const createAlarmSpecs = ({
  name,
  stage,
  table,
  requestFunctions,
  backgroundFunctions,
  graphql,
  changes,
  events,
  webhook,
  rules,
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
    name: 'internal-errors',
    meaning: 'Functions log internal errors in several minutes.',
    metric: countFromLogs(name, INTERNAL_ERRORS),
    threshold: 1,
    evaluation: WITHIN_CANARY,
    rollsBack: true,
  },
  {
    name: 'route-errors',
    meaning: 'A route fails with internal errors in at least half of its requests to one process.',
    // A rate over all routes would hide a rare operation that always fails.
    // The alarm fires if any route reaches the threshold:
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Create_Metrics_Insights_Alarm.html
    metric: new MathExpression({
      expression: `SELECT MAX(${FAILURE_RATE}) FROM SCHEMA("${formatNamespace(name)}", Route) GROUP BY Route ORDER BY MAX() DESC`,
      ...perMinute,
    }),
    threshold: 0.5,
    evaluation: AT_ONCE,
    rollsBack: true,
  },
  ...splitParts(requestFunctions).map((functions, at) => ({
    name: at === 0 ? 'function-errors' : `function-errors-${at + 1}`,
    meaning: 'At least half of the invocations of a function crashed, timed out or could not be started in a minute.',
    // Each invocation reports 0 or 1, so the average is the share of failed invocations.
    metric: maxErrors(functions, 'Average'),
    threshold: 0.5,
    evaluation: ONCE_IN_THREE_MINUTES,
    rollsBack: true,
  })),
  {
    name: 'job-errors',
    meaning:
      'A background function fails in almost every minute of 15: a job of index-pages, or an erasure that has waited for an hour; on-change or publish-events cannot be started.',
    metric: maxErrors(backgroundFunctions, 'Sum'),
    threshold: 1,
    evaluation: { breaching: 12, evaluated: 15 },
  },
  {
    name: 'graphql-errors',
    meaning: 'At least 10 GraphQL requests a minute are answered with 5xx, by the function or in its place.',
    metric: graphql.serverErrors,
    threshold: 10,
    evaluation: WITHIN_CANARY,
    rollsBack: true,
  },
  ...(graphql.latency
    ? [
        {
          name: 'graphql-latency',
          meaning: 'Half of the GraphQL requests take 1.5 s or more.',
          // The median: a high percentile would measure subscriptions, which stay open for 90 s.
          metric: graphql.latency,
          threshold: 1_500,
          evaluation: WITHIN_CANARY,
          rollsBack: true,
        },
      ]
    : []),
  {
    name: 'rejections',
    meaning: 'At least 90 percent of the requests are rejected with 401 or 403, for 15 minutes.',
    metric: new MathExpression({
      expression: `SELECT AVG(${REJECTED}) FROM "${formatNamespace(name)}"`,
      ...perMinute,
    }),
    threshold: 0.9,
    evaluation: { breaching: 12, evaluated: 15 },
  },
  {
    name: 'unavailable',
    meaning: 'At least 10 requests a minute, REST or GraphQL, got SERVICE_UNAVAILABLE because DynamoDB did not answer.',
    metric: countFromLogs(name, UNAVAILABLE),
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
    meaning: 'Lambda throttles requests: a function, or the account, has reached its concurrency limit.',
    metric: sumMetrics(
      { rest: countFromLogs(name, THROTTLED), ...(graphql.throttles ? { graphql: graphql.throttles } : {}) },
      'throttled requests',
    ),
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
    deadLetters:
      'on-change sent changes to its dead-letter queue: subscribers missed them, or posts of deleted users remain.',
    age: 'Changes wait a minute or more for on-change, or it receives none: subscribers get them late, or not at all.',
  }),
  ...(events
    ? createConsumerSpecs('event-', events, {
        deadLetters: 'publish-events sent changes to its dead-letter queue: the event bus did not receive them.',
        age: 'Changes wait a minute or more for publish-events, or it receives none: the event bus gets them late, or not at all.',
      })
    : []),
  ...(webhook
    ? [
        createDeadLetterSpec(
          'webhook-dead-letters',
          'Events are in the dead-letter queue of the webhook: its receiver has not accepted them for a day.',
          webhook.deadLetters,
        ),
      ]
    : []),
  {
    name: 'rule-failures',
    meaning: 'EventBridge cannot reach the target of a rule, or a dead-letter queue: an event may be lost.',
    metric: countRuleFailures(rules, webhook),
    threshold: 1,
    evaluation: ONCE_IN_THREE_MINUTES,
  },
  {
    name: 'index-age',
    meaning: 'New users have waited five minutes or more to be indexed, or index-pages does not run: pages get slower.',
    metric: new Metric({ namespace: formatNamespace(name), metricName: 'IndexAgeSeconds', ...maxPerMinute }),
    threshold: 300,
    evaluation: LASTING,
    needsData: true,
  },
];

type ConsumerMeanings = { deadLetters: string; age: string };

const createConsumerSpecs = (
  prefix: string,
  consumer: MonitoredConsumer,
  { deadLetters, age }: ConsumerMeanings,
): AlarmSpec[] => [
  createDeadLetterSpec(`${prefix}dead-letters`, deadLetters, consumer.deadLetters),
  {
    name: `${prefix}stream-age`,
    meaning: age,
    // The service writes a heartbeat each minute, so this metric has data unless the consumer has stopped.
    metric: consumer.function.metric('IteratorAge', maxPerMinute),
    threshold: 60_000,
    evaluation: LASTING,
    needsData: true,
  },
];

const createDeadLetterSpec = (name: string, meaning: string, queue: Queue): AlarmSpec => ({
  name,
  meaning,
  metric: queue.metricApproximateNumberOfMessagesVisible(maxPerMinute),
  threshold: 1,
  evaluation: AT_ONCE,
});

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-monitoring.html */
function countRuleFailures(rules: Rule[], webhook: Webhook | undefined): MathExpression {
  const count = (metricName: string, dimensionsMap: Record<string, string>) =>
    new Metric({ namespace: 'AWS/Events', metricName, dimensionsMap, ...sumPerMinute });
  const metrics = rules.map(({ ruleName }) => count('FailedInvocations', { RuleName: ruleName }));
  if (webhook) {
    // arn:…:rule/<bus>/<rule>. The reference to a rule of another bus than the default is not its name.
    const RuleName = Fn.select(2, Fn.split('/', webhook.rule.ruleArn));
    for (const metricName of ['FailedInvocations', 'InvocationsFailedToBeSentToDlq'])
      metrics.push(count(metricName, { EventBusName: webhook.busName, RuleName }));
  }
  return sumMetrics(Object.fromEntries(metrics.map((each, at) => [`r${at}`, each])), 'failed invocations of rules');
}

/** Uses 0 for a metric without data in a minute, which would leave the sum without data. */
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

const countFromLogs = (name: string, metricName: string) =>
  new Metric({ namespace: formatNamespace(name), metricName, ...sumPerMinute });

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-limits.html */
const MAX_ALARM_METRICS = 10;

function splitParts(functions: readonly LambdaFunction[]): LambdaFunction[][] {
  const parts: LambdaFunction[][] = [];
  for (let at = 0; at < functions.length; at += MAX_ALARM_METRICS)
    parts.push(functions.slice(at, at + MAX_ALARM_METRICS));
  return parts;
}

/**
 * The highest value of any function. Not a query of Metrics Insights, because it could not list the functions: `WHERE`
 * only supports `=`, `!=` and `AND`.
 */
function maxErrors(functions: readonly LambdaFunction[], statistic: 'Average' | 'Sum'): MathExpression {
  const metrics = functions.map((each, at) => [`f${at}`, each.metricErrors({ ...perMinute, statistic })]);
  return new MathExpression({
    expression: 'MAX(FILL(METRICS(), 0))',
    usingMetrics: Object.fromEntries(metrics),
    label: 'function with most errors',
    ...perMinute,
  });
}

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
