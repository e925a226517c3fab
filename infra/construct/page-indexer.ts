import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as Invocation } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { getMetricNamespace } from './logs.ts';
import { createLogVariables, ServiceFunction, type SharedProps } from './service-function.ts';

/** Under traffic a run mostly waits until writes are visible, and waiting is billed by memory. */
export const INDEXER_MEMORY_MB = 256;

/**
 * Runs `index-pages` every minute. A failed run is not retried: the next one continues. Runs may overlap, as their writes
 * are conditional on the checkpoint; reserved concurrency would fail in new accounts, where all 10 executions stay
 * unreserved.
 */
export class PageIndexer extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, shared: SharedProps) {
    super(scope, id);
    this.function = new ServiceFunction(this, 'index-pages', shared, {
      // A scheduled run stops within a minute; a repair uses the whole timeout.
      timeout: Duration.minutes(15),
      memorySize: INDEXER_MEMORY_MB,
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      environment: { METRICS_NAMESPACE: getMetricNamespace(shared), ...createLogVariables(shared) },
    });
    new Rule(this, 'every-minute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new Invocation(this.function, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }
}
