import { Duration, Validations } from 'aws-cdk-lib';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ServiceFunction, type SharedProps } from './service-function.ts';

/** Users and posts are the items that others hear of; the rest, change log included, would only wake the function. */
const ofUsersAndPosts = FilterCriteria.filter({ dynamodb: { Keys: { pk: { S: FilterRule.beginsWith('USER#') } } } });

/** `on-change` behind the table's stream. What it cannot consume is given up after a while and named in a queue. */
export class ChangeConsumer extends Construct {
  readonly function: ServiceFunction;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, surroundings: SharedProps) {
    super(scope, id);
    const { table, key } = surroundings;
    this.deadLetters = deadLetterQueue(this, key);
    Validations.of(this.deadLetters).acknowledge({
      id: 'AwsSolutions-SQS3',
      reason: 'This is the dead-letter queue, of an event source; cdk-nag looks for those of queues only.',
    });
    // Deleting a user with many thousand posts takes minutes.
    this.function = new ServiceFunction(this, 'on-change', surroundings, { timeout: Duration.minutes(5) });
    this.function.addEventSource(
      // CDK is not typed for exactOptionalPropertyTypes: to TypeScript an ITableV2 is no ITable.
      new DynamoEventSource(table as ITable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        filters: [ofUsersAndPosts],
        batchSize: 100,
        // Subscribers wait for this.
        maxBatchingWindow: Duration.seconds(1),
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        retryAttempts: 50,
        maxRecordAge: Duration.hours(6),
        onFailure: new SqsDlq(this.deadLetters),
      }),
    );
  }
}

const deadLetterQueue = (scope: Construct, key: Key | undefined) =>
  new Queue(scope, 'dead-letters', {
    enforceSSL: true,
    retentionPeriod: Duration.days(14),
    ...(key
      ? { encryption: QueueEncryption.KMS, encryptionMasterKey: key }
      : { encryption: QueueEncryption.SQS_MANAGED }),
  });
