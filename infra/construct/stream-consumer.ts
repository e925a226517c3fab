import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { FilterCriteria, FilterRule, type FunctionProps, MetricType, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { FunctionName } from './grants.ts';
import { ServiceFunction, type SharedProps } from './service-function.ts';

/** The records of the stream that invoke each consumer. */
const FILTERS = {
  // Only users, posts and purge records ask the function to do something, so other items must not invoke it.
  'on-change': {
    dynamodb: {
      Keys: {
        pk: { S: FilterRule.beginsWith('USER#') },
        sk: { S: [...FilterRule.isEqual('USER'), ...FilterRule.isEqual('PURGE'), ...FilterRule.beginsWith('POST#')] },
      },
    },
  },
  // An entry of a user's or an author's log has a kind; those of the log of all changes have none. Later it is only erased, or expires.
  'publish-events': {
    eventName: FilterRule.isEqual('INSERT'),
    dynamodb: {
      Keys: { pk: { S: FilterRule.beginsWith('CHANGES#') } },
      NewImage: { kind: { S: FilterRule.exists() } },
    },
  },
} satisfies Partial<Record<FunctionName, object>>;

/**
 * A consumer that cannot do its work, as DynamoDB or the bus is down or denies access, waits 40 s in each attempt: so many take
 * a day, after which the stream has forgotten the records. A record that the code cannot handle fails at once, and is given up
 * after minutes.
 */
const MAX_ATTEMPTS = 2_200;

/** A function that consumes the table's stream. Records that keep failing are named in a dead-letter queue. */
export class StreamConsumer extends Construct {
  readonly function: ServiceFunction;
  readonly deadLetters: Queue;
  /** The event source, which reads the stream, has this id. */
  readonly sourceId: string;

  constructor(
    scope: Construct,
    id: string,
    name: keyof typeof FILTERS,
    shared: SharedProps,
    overrides: Pick<FunctionProps, 'environment'> = {},
  ) {
    super(scope, id);
    this.deadLetters = createDeadLetterQueue(this);
    acknowledge(this.deadLetters, {
      id: 'AwsSolutions-SQS3',
      reason: 'This is the dead-letter queue of an event source; cdk-nag recognises only those of queues.',
    });
    // The function ends a batch by itself after 40 s. A batch of on-change is at most 100 appends, the search entries of their users and one part of each purge.
    this.function = new ServiceFunction(this, name, shared, { timeout: Duration.minutes(1), ...overrides });
    // CDK is not typed for exactOptionalPropertyTypes, so TypeScript does not accept an ITableV2 as an ITable.
    const source = new DynamoEventSource(shared.table as ITable, {
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [FilterCriteria.filter(FILTERS[name])],
      batchSize: 100,
      // Subscribers wait this long at most; fuller batches make fewer, larger entries in the order log.
      maxBatchingWindow: Duration.seconds(1),
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      retryAttempts: MAX_ATTEMPTS,
      // Without maxRecordAge: Lambda would give up what is older, also if it has never been delivered.
      onFailure: new SqsDlq(this.deadLetters),
      metricsConfig: { metrics: [MetricType.EVENT_COUNT] },
    });
    this.function.addEventSource(source);
    this.sourceId = source.eventSourceMappingId;
  }
}

/** It is not encrypted with the service's key, which may be what is missing: SQS encrypts it. Messages name records without their content. */
const createDeadLetterQueue = (scope: Construct) =>
  new Queue(scope, 'dead-letters', {
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
  });
