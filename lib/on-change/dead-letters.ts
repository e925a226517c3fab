import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { DeadlineHttpHandler } from '../dynamodb/requests.ts';
import { environment } from '../environment.ts';
import { logFailure } from '../log.ts';
import { mapParallel } from '../parallel.ts';
import { parseTime } from './stream-record.ts';

/**
 * `isRedriven` is true if an operator resends dead letters. A dead letter stays in its queue until its record is
 * consumed.
 */
export type StreamEvent = DynamoDBStreamEvent & { isRedriven?: boolean };

/**
 * Age at which records that the code cannot handle become dead letters, which leaves room for a rollback. Lambda
 * retries other records until they expire after 24 h, so an outage loses nothing.
 */
const DEAD_LETTER_AFTER_MS = 15 * 60_000;

/** Sends references to records older than DEAD_LETTER_AFTER_MS, if there is a queue. Returns the records sent. */
export async function sendDeadLetters(
  failed: DynamoDBRecord[],
  { isRedriven }: StreamEvent,
): Promise<DynamoDBRecord[]> {
  const { deadLetterQueueUrl } = environment;
  if (!deadLetterQueueUrl || isRedriven) return [];
  const sent = await mapParallel(failed.filter(isOld), async (record) => {
    try {
      const MessageBody = JSON.stringify(formatDeadLetter(record));
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
 * Refers to records like Lambda's own dead letters, without the shard, which the event lacks. `consumer`: the function,
 * which Lambda names in `requestContext`.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
 */
function formatDeadLetter({ eventSourceARN, dynamodb }: DynamoDBRecord): object {
  const number = dynamodb?.SequenceNumber;
  return {
    consumer: environment.functionName,
    DDBStreamBatchInfo: { streamArn: eventSourceARN, startSequenceNumber: number, endSequenceNumber: number },
  };
}

let queues: SQSClient | undefined;

function getQueues(): SQSClient {
  queues ??= new SQSClient({ requestHandler: new DeadlineHttpHandler() });
  return queues;
}
