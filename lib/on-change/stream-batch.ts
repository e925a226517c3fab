import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { TableName } from '../dynamodb/client.ts';
import { retryOnConflict, withDeadline } from '../dynamodb/requests.ts';
import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { Batch, type Reaction } from './batch.ts';
import { type StreamEvent, sendDeadLetters } from './dead-letters.ts';
import { toBatchResponse } from './stream-record.ts';

const STREAM = /:table\/(?<table>[^/]+)\/stream\//;

/**
 * True for records of the former table, which the event source may briefly read after a switch to a restored table.
 * Such records wait until the event source is replaced or the deploy is rolled back. Local records do not name their
 * table.
 */
const isOfOtherTable = ({ eventSourceARN = '' }: DynamoDBRecord): boolean =>
  (STREAM.exec(eventSourceARN)?.groups?.table ?? TableName) !== TableName;

/**
 * Retries while the database is unavailable or denies access. Records that the code cannot handle become dead letters.
 * The stream delivers again from the first failed record.
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
    return sent.length > 0 || batch.isRetryable ? 'retry' : undefined;
  };
  try {
    await withDeadline(environment.batchTimeLimitMs, () => retryOnConflict(attempt));
  } catch (error) {
    if (!isUnavailable(error)) throw error;
  }
  return toBatchResponse(remaining);
}

/** If a reaction throws, Lambda halves the batch until the failing record is alone. */
export async function handleRecords(records: DynamoDBRecord[], reactions: Reaction[]): Promise<Batch> {
  const batch = new Batch(records);
  // Skip the reactions, so that a batch with only heartbeats costs no reads.
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
