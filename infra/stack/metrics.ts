import { Duration, Stack } from 'aws-cdk-lib';
import type { HttpStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { tableSchema } from './table-schema.ts';

/** One namespace per stack: the metrics of two stacks in one account must not trigger each other's alarms. */
export const getMetricNamespace = (scope: IConstruct) => `UserManagement/${Stack.of(scope).stackName}`;

export const perMinute = { period: Duration.minutes(1) };
export const sumPerMinute = { ...perMinute, statistic: 'Sum' };
export const maxPerMinute = { ...perMinute, statistic: 'Maximum' };

/** A metric without events has no value instead of 0, and a sum that includes it would have none either. */
function sumMetrics(usingMetrics: Record<string, IMetric>, label: string): MathExpression {
  const expression = Object.keys(usingMetrics)
    .map((id) => `FILL(${id}, 0)`)
    .join(' + ');
  return new MathExpression({ expression, usingMetrics, label, ...perMinute });
}

/** With fewer than 20 requests a minute the rate says little, and is 0. */
export const measureErrorRate = (stage: HttpStage) =>
  new MathExpression({
    expression: 'IF(requests >= 20, 100 * errors / requests, 0)',
    usingMetrics: { errors: stage.metricServerError(sumPerMinute), requests: stage.metricCount(sumPerMinute) },
    label: '5xx, percent of requests',
    ...perMinute,
  });

export const countFunctionThrottles = (functions: LambdaFunction[]) =>
  sumMetrics(
    Object.fromEntries(functions.map((each, index) => [`f${index}`, each.metricThrottles(sumPerMinute)])),
    'throttled invocations',
  );

export function countTableThrottles({ tableName }: ITableV2): MathExpression {
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
