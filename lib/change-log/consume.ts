import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { logError } from '../log.ts';
import { purgePosts } from '../posts/purge.ts';
import { append } from './append.ts';
import { parseChange } from './change.ts';

/**
 * Takes a batch of the table's stream: tells subscribers of every change, and removes the posts of deleted users.
 * Answers with the first record that failed, from which the stream delivers again; all of it is safe to repeat.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export async function consume({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const failed = new Set<DynamoDBRecord>();
  await Promise.all(groupByPartitionKey(Records).map((lane) => consumeInOrder(lane, failed)));
  const first = Records.find((record) => failed.has(record));
  return { batchItemFailures: first ? [{ itemIdentifier: first.dynamodb?.SequenceNumber ?? '' }] : [] };
}

/** Only changes below one partition key need to keep their order. */
const groupByPartitionKey = (records: DynamoDBRecord[]): DynamoDBRecord[][] => [
  ...Map.groupBy(records, ({ dynamodb }) => dynamodb?.Keys?.pk?.S).values(),
];

async function consumeInOrder(records: DynamoDBRecord[], failed: Set<DynamoDBRecord>): Promise<void> {
  for (const record of records) {
    try {
      await consumeOne(record);
    } catch (error) {
      logError(error, { eventId: record.eventID });
      failed.add(record);
      return;
    }
  }
}

async function consumeOne(record: DynamoDBRecord): Promise<void> {
  const change = parseChange(record);
  if (!change) return;
  await append(change);
  if (change.entity === 'user' && change.kind === 'DELETED') await purgePosts(change.id);
}
