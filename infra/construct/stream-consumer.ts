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

const FILTERS = {
  // Skips items that need no reaction.
  'on-change': {
    dynamodb: {
      Keys: {
        pk: { S: FilterRule.beginsWith('USER#') },
        sk: { S: [...FilterRule.isEqual('USER'), ...FilterRule.isEqual('PURGE'), ...FilterRule.beginsWith('POST#')] },
      },
    },
  },
  // Skips the log of all changes, whose entries have no kind, and the erasure or expiry of entries.
  'publish-events': {
    eventName: FilterRule.isEqual('INSERT'),
    dynamodb: {
      Keys: { pk: { S: FilterRule.beginsWith('CHANGES#') } },
      NewImage: { kind: { S: FilterRule.exists() } },
    },
  },
} satisfies Partial<Record<FunctionName, object>>;

/** Reach both consumers each minute, so the age of the last record shows whether they receive anything. */
const HEARTBEATS = FilterCriteria.filter({ dynamodb: { Keys: { pk: { S: FilterRule.isEqual(heartbeatKey.pk) } } } });

/**
 * The event source retries until the stream drops a record, even if new code does not start. For records that keep failing, the function
 * itself writes dead letters (lib/on-change/dead-letters.ts).
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
    // Longer than the 40 s after which the function ends a batch.
    this.function = new ServiceFunction(this, name, shared, {
      timeout: Duration.minutes(1),
      ...overrides,
      environment: { ...overrides.environment, DEAD_LETTER_QUEUE_URL: this.deadLetters.queueUrl },
    });
    // CDK's types predate exactOptionalPropertyTypes.
    const source = new DynamoEventSource(shared.table as ITable, {
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [FilterCriteria.filter(FILTERS[name]), HEARTBEATS],
      batchSize: 100,
      // Maximum delay for subscribers. Fuller batches make fewer, larger entries in the order log.
      maxBatchingWindow: Duration.seconds(1),
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // No maxRecordAge: Lambda would drop older records, even undelivered ones. The queue's permission also lets the function send to it.
      onFailure: new SqsDlq(this.deadLetters),
    });
    this.function.addEventSource(source);
    repeatForever(this.function);
  }
}

/** Earlier versions of CDK reject `retryAttempts: -1`. Omitting the value would keep the deployed one. */
function repeatForever(scope: Construct): void {
  for (const child of scope.node.findAll()) if (child instanceof CfnEventSourceMapping) child.maximumRetryAttempts = -1;
}

/** Not encrypted with the service's key, whose loss may be the failure. Messages name records without their content. */
const createDeadLetterQueue = (scope: Construct) =>
  new Queue(scope, 'dead-letters', {
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
  });
