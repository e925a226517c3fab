import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { DeadlineHttpHandler } from '../dynamodb/requests.ts';
import { environment } from '../environment.ts';
import { logFailure } from '../log.ts';
import { mapParallel } from '../parallel.ts';
import { parseTime } from './stream-record.ts';

/** `isRedriven`: an operator delivers what was given up again (infra/scripts/redrive.ts), and keeps its message until it is consumed. */
export type StreamEvent = DynamoDBStreamEvent & { isRedriven?: boolean };

/**
 * The event source repeats a batch until the stream forgets it, however it failed: when a deploy does not start, when the database is
 * down, or when it denies access, nothing is lost for a day. So a consumer itself gives up what its code cannot handle. Until a record is so old, a
 * deploy with a mistake may be rolled back, and the records that it failed for are handled after all.
 */
const GIVE_UP_AFTER_MS = 15 * 60_000;

/**
 * Sends the names of records that the code has failed for, if they are old enough, to the dead-letter queue. Returns those that it has taken: they need not be
 * delivered again. Nothing is given up where there is no queue.
 */
export async function giveUp(failed: DynamoDBRecord[], { isRedriven }: StreamEvent): Promise<DynamoDBRecord[]> {
  const { deadLetterQueueUrl } = environment;
  if (!deadLetterQueueUrl || isRedriven) return [];
  const given = await mapParallel(failed.filter(isOld), async (record) => {
    try {
      const MessageBody = JSON.stringify(nameRecord(record));
      await getQueues().send(new SendMessageCommand({ QueueUrl: deadLetterQueueUrl, MessageBody }));
      return [record];
    } catch (error) {
      logFailure(error, { eventId: record.eventID });
      return [];
    }
  });
  return given.flat();
}

const isOld = ({ dynamodb }: DynamoDBRecord): boolean =>
  parseTime(dynamodb?.ApproximateCreationDateTime) < environment.now() - GIVE_UP_AFTER_MS;

/** As the event source names what it gives up, but for the shard, which a consumer is not told: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html */
function nameRecord({ eventSourceARN, dynamodb }: DynamoDBRecord): object {
  const number = dynamodb?.SequenceNumber;
  return { DDBStreamBatchInfo: { streamArn: eventSourceARN, startSequenceNumber: number, endSequenceNumber: number } };
}

let queues: SQSClient | undefined;

/** It is made with the first record that is given up: most environments never do. */
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
