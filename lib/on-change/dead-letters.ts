import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { DeadlineHttpHandler } from '../dynamodb/requests.ts';
import { environment } from '../environment.ts';
import { logFailure } from '../log.ts';
import { mapParallel } from '../parallel.ts';
import { parseTime } from './stream-record.ts';

/**
 * `isRedriven`: an operator resends dead letters (infra/scripts/redrive.ts). Their message stays in the queue until
 * the record is consumed.
 */
export type StreamEvent = DynamoDBStreamEvent & { isRedriven?: boolean };

/**
 * Lambda retries a batch until its records expire after 24 h, so an outage or a failed deploy loses nothing. The
 * consumer therefore drops records that its code cannot handle. It waits this long first: a rollback of a faulty
 * deploy can still handle them.
 */
const DEAD_LETTER_AFTER_MS = 15 * 60_000;

/**
 * Sends references to broken records that are old enough to the dead-letter queue. Returns the records sent: the
 * stream must not deliver them again. Without a queue, sends nothing.
 */
export async function sendDeadLetters(
  failed: DynamoDBRecord[],
  { isRedriven }: StreamEvent,
): Promise<DynamoDBRecord[]> {
  const { deadLetterQueueUrl } = environment;
  if (!deadLetterQueueUrl || isRedriven) return [];
  const sent = await mapParallel(failed.filter(isOld), async (record) => {
    try {
      const MessageBody = JSON.stringify(nameRecord(record));
      await getQueues().send(new SendMessageCommand({ QueueUrl: deadLetterQueueUrl, MessageBody }));
      return [record];
    } catch (error) {
      logFailure(error, { eventId: record.eventID });
      return [];
    }
  });
  return sent.flat();
}

const isOld = ({ dynamodb }: DynamoDBRecord): boolean =>
  parseTime(dynamodb?.ApproximateCreationDateTime) < environment.now() - DEAD_LETTER_AFTER_MS;

/**
 * The format that Lambda's event source uses for its own dead letters, without the shard, which the event does not
 * contain: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
function nameRecord({ eventSourceARN, dynamodb }: DynamoDBRecord): object {
  const number = dynamodb?.SequenceNumber;
  return { DDBStreamBatchInfo: { streamArn: eventSourceARN, startSequenceNumber: number, endSequenceNumber: number } };
}

let queues: SQSClient | undefined;

/** Created on first use: most environments never send a dead letter. */
function getQueues(): SQSClient {
  queues ??= new SQSClient({
    requestHandler: new DeadlineHttpHandler({
      connectionTimeout: environment.attemptTimeLimitMs,
      requestTimeout: environment.attemptTimeLimitMs,
      throwOnRequestTimeout: true,
    }),
  });
  return queues;
}
