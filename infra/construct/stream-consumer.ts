import { Duration } from 'aws-cdk-lib';
import {
  type CfnEventSourceMapping,
  FilterCriteria,
  FilterRule,
  type FunctionProps,
  StartingPosition,
} from 'aws-cdk-lib/aws-lambda';
import { SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { heartbeatKey, LOGGED_SORT_KEYS, postReturnKey, purgeKey } from '../../lib/dynamodb/keys.ts';
import { groupKey } from '../../lib/features/groups/keys.ts';
import { acknowledge } from './acknowledge.ts';
import type { FunctionName } from './grants.ts';
import { ServiceFunction, type SharedProps } from './service-function.ts';

const listLoggedKeys = () =>
  Object.values(LOGGED_SORT_KEYS).flatMap((key) =>
    key.endsWith('#') ? FilterRule.beginsWith(key) : FilterRule.isEqual(key),
  );

const FILTERS = {
  // Users, posts, and the items of posts that are still to be deleted (PURGE) or returned (RETURN).
  'on-change': {
    dynamodb: {
      Keys: {
        pk: { S: FilterRule.beginsWith('USER#') },
        sk: { S: [...listLoggedKeys(), ...FilterRule.or(purgeKey('').sk, postReturnKey('').sk)] },
      },
    },
  },
  // New entries of the change logs of users and posts. Entries of the order log have no `kind`. INSERT also skips the
  // erasure and the expiry of entries.
  'publish-events': {
    eventName: FilterRule.isEqual('INSERT'),
    dynamodb: {
      Keys: { pk: { S: FilterRule.beginsWith('CHANGES#') } },
      NewImage: { kind: { S: FilterRule.exists() } },
    },
  },
} satisfies Partial<Record<FunctionName, object>>;

/** Items of groups, which `publish-events` reads with the setting `groups`. */
const GROUPS = FilterCriteria.filter({
  dynamodb: {
    Keys: { pk: { S: FilterRule.beginsWith(groupKey('').pk) }, sk: { S: FilterRule.isEqual(groupKey('').sk) } },
  },
});

/** Written each minute, so the alarms can detect that a consumer receives nothing. */
const HEARTBEATS = FilterCriteria.filter({ dynamodb: { Keys: { pk: { S: FilterRule.isEqual(heartbeatKey.pk) } } } });

/**
 * Lambda retries until the stream drops the record after 24 h, so records survive a deploy of broken code. For records
 * that keep failing, the function writes dead letters.
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
    // The timeout only ends a function that hangs: batches end after 40 s.
    this.function = new ServiceFunction(this, name, shared, {
      timeout: Duration.minutes(1),
      ...overrides,
      environment: { ...overrides.environment, DEAD_LETTER_QUEUE_URL: this.deadLetters.queueUrl },
    });
    // The id is the same for every table. CDK's DynamoEventSource would get another id when a restored table returns to
    // the stack, and Lambda rejects a second event source of the same stream and function.
    const source = this.function.addEventSourceMapping('stream', {
      // Cast: readProps rejects a table without a stream.
      eventSourceArn: shared.table.tableStreamArn as string,
      startingPosition: StartingPosition.TRIM_HORIZON,
      filters: [
        FilterCriteria.filter(FILTERS[name]),
        HEARTBEATS,
        ...(name === 'publish-events' && shared.groups ? [GROUPS] : []),
      ],
      batchSize: 100,
      // Delays subscribers by up to 1 s. Larger batches need fewer writes to the order log.
      maxBatchingWindow: Duration.seconds(1),
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      // No maxRecordAge: Lambda would drop records above that age, even if it has never delivered them. `onFailure` also
      // lets the function itself send to the queue.
      onFailure: new SqsDlq(this.deadLetters),
    });
    // Earlier versions of CDK reject `retryAttempts: -1`, and omitting the value would keep the deployed one.
    (source.node.defaultChild as CfnEventSourceMapping).maximumRetryAttempts = -1;
    shared.table.grantStreamRead(this.function);
  }
}

/**
 * Not encrypted with the service's KMS key: losing that key may be the cause of dead letters. Messages contain no
 * record content, apart from events that an event bus cannot decrypt.
 */
const createDeadLetterQueue = (scope: Construct) =>
  new Queue(scope, 'dead-letters', {
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    encryption: QueueEncryption.SQS_MANAGED,
  });
