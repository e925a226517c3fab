import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as Invocation } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { metricNamespace } from './alarms.ts';
import { ServiceFunction, type SharedProps } from './service-function.ts';

/** `index-pages` every minute, one at a time. A run that fails is not repeated: the next one goes on where it was. */
export class PageIndexer extends Construct {
  readonly function: ServiceFunction;

  constructor(scope: Construct, id: string, surroundings: SharedProps) {
    super(scope, id);
    this.function = new ServiceFunction(this, 'index-pages', surroundings, {
      // A run of the schedule ends itself within a minute; a repair takes what it gets.
      timeout: Duration.minutes(15),
      reservedConcurrentExecutions: 1,
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
      environment: { METRICS_NAMESPACE: metricNamespace(this) },
    });
    new Rule(this, 'every-minute', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [new Invocation(this.function, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
  }
}
