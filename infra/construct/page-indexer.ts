import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as Invocation } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { formatNamespace } from './logs.ts';
import { createLogVariables, ServiceFunction, type SharedProps } from './service-function.ts';

/** Lambda bills waiting time by memory, and a run mostly waits for writes to become visible. */
export const INDEXER_MEMORY_MB = 256;

/**
 * Runs may overlap, because their writes are conditional on the checkpoint. Reserved concurrency is impossible in new
 * accounts: Lambda keeps their 10 executions unreserved.
 */
export class PageIndexer extends Construct {
  readonly function: ServiceFunction;
  readonly rule: Rule;

  constructor(scope: Construct, id: string, shared: SharedProps) {
    super(scope, id);
    this.function = new ServiceFunction(this, 'index-pages', shared, {
      // Only an operator's repairs use the whole timeout.
      timeout: Duration.minutes(15),
      memorySize: INDEXER_MEMORY_MB,
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      environment: { METRICS_NAMESPACE: formatNamespace(shared.name), ...createLogVariables(shared) },
    });
    this.rule = new Rule(this, 'every-minute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new Invocation(this.function, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }
}
