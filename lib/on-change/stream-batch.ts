import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { TableName } from '../dynamodb/client.ts';
import { AGAIN, retryOnConflict, withDeadline } from '../dynamodb/requests.ts';
import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { Batch, type Reaction } from './batch.ts';
import { type StreamEvent, sendDeadLetters } from './dead-letters.ts';
import { toBatchResponse } from './stream-record.ts';

const STREAM = /:table\/(?<table>[^/]+)\/stream\//;

/**
 * During a switch to a restored table, the functions may already use it while the event source still reads the former
 * table. Those records wait until the event source is replaced or the deploy is rolled back. Local records do not name
 * their table.
 */
const isOfOtherTable = ({ eventSourceARN = '' }: DynamoDBRecord): boolean =>
  (STREAM.exec(eventSourceARN)?.groups?.table ?? TableName) !== TableName;

/**
 * Handles a stream batch. Retries while the database is unavailable or denies access. Sends records that the code
 * cannot handle to the dead-letter queue. The response names the first failed record: the stream delivers again from
 * there.
 */
export async function handleStreamBatch(event: StreamEvent, reactions: Reaction[]): Promise<DynamoDBBatchResponse> {
  const { Records } = event;
  if (Records.some(isOfOtherTable)) {
    console.warn({ event: 'records of another table', source: Records[0]?.eventSourceARN });
    return toBatchResponse(Records);
  }
  let remaining = Records;
  const attempt = async () => {
    const batch = await handleRecords(remaining, reactions);
    const sent = await sendDeadLetters(batch.broken, event);
    remaining = batch.remaining.filter((record) => !sent.includes(record));
    // Records after a dead letter can be handled now.
    return sent.length > 0 || batch.isRetryable ? AGAIN : undefined;
  };
  try {
    await withDeadline(environment.batchTimeLimitMs, () => retryOnConflict(attempt));
  } catch (error) {
    // The deadline has passed, and each failure has been logged.
    if (!isUnavailable(error)) throw error;
  }
  return toBatchResponse(remaining);
}

/**
 * Each reaction sees the records that did not fail in earlier ones. A reaction that throws rejects the batch: Lambda
 * then halves it until the failing record is alone.
 */
export async function handleRecords(records: DynamoDBRecord[], reactions: Reaction[]): Promise<Batch> {
  const batch = new Batch(records);
  // A batch with only heartbeats costs no reads.
  if (batch.records.length === 0) return batch;
  for (const react of reactions)
    try {
      await react(batch);
    } catch (error) {
      if (batch.records.length > 1) throw error;
      batch.fail(batch.records, error);
    }
  return batch;
}
