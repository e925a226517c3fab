import { Duration } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import {
  CfnEventSourceMapping,
  FilterCriteria,
  FilterRule,
  type FunctionProps,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { heartbeatKey } from '../../lib/dynamodb/keys.ts';
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

/** They reach both consumers each minute, so that the age of the last record tells whether one receives anything. */
const HEARTBEATS = FilterCriteria.filter({ dynamodb: { Keys: { pk: { S: FilterRule.isEqual(heartbeatKey.pk) } } } });

/**
 * A function that consumes the table's stream. The event source repeats what failed for as long as the stream keeps it, also if the code of a deploy
 * does not start. Records that the code keeps failing for are named in a dead-letter queue by the function itself (lib/on-change/dead-letters.ts).
 */
export class StreamConsumer extends Construct {
  readonly function: ServiceFunction;
  readonly deadLetters: Queue;

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
    // The function ends a batch by itself after 40 s. A batch of on-change is at most 100 appends and one part of each purge.
    this.function = new ServiceFunction(this, name, shared, {
      timeout: Duration.minutes(1),
      ...overrides,
      environment: { ...overrides.environment, DEAD_LETTER_QUEUE_URL: this.deadLetters.queueUrl },
    });
    // CDK is not typed for exactOptionalPropertyTypes, so TypeScript does not accept an ITableV2 as an ITable.
    const source = new DynamoEventSource(shared.table as ITable, {
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [FilterCriteria.filter(FILTERS[name]), HEARTBEATS],
      batchSize: 100,
      // Subscribers wait this long at most; fuller batches make fewer, larger entries in the order log.
      maxBatchingWindow: Duration.seconds(1),
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // Without maxRecordAge: Lambda would give up what is older, also if it has never been delivered.
      // With a queue for failures, its permission lets the function send to it.
      onFailure: new SqsDlq(this.deadLetters),
    });
    this.function.addEventSource(source);
    repeatForever(this.function);
  }
}

/** The prop `retryAttempts` of earlier versions of CDK rejects -1. Without a value, an update would keep the one that was deployed. */
function repeatForever(scope: Construct): void {
  for (const child of scope.node.findAll()) if (child instanceof CfnEventSourceMapping) child.maximumRetryAttempts = -1;
}

/** It is not encrypted with the service's key, which may be what is missing: SQS encrypts it. Messages name records without their content. */
const createDeadLetterQueue = (scope: Construct) =>
  new Queue(scope, 'dead-letters', {
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
  });
