import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { TableName } from '../dynamodb/client.ts';
import { AGAIN, retryOnConflict, withDeadline } from '../dynamodb/requests.ts';
import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { Batch, type Reaction } from './batch.ts';
import { giveUp, type StreamEvent } from './dead-letters.ts';
import { toBatchResponse } from './stream-record.ts';

const STREAM = /:table\/(?<table>[^/]+)\/stream\//;

/**
 * While a stack is switched to a restored table, the functions may have it before the event source does. Changes of the
 * former table were not made in this one: they wait until the event source is replaced, or the deploy rolled back. On this
 * machine, records do not name their table.
 */
const isOfOtherTable = ({ eventSourceARN = '' }: DynamoDBRecord): boolean =>
  (STREAM.exec(eventSourceARN)?.groups?.table ?? TableName) !== TableName;

/**
 * Handles a batch of the table's stream. It waits for a database that is unavailable, or denies access; the response names the first record that
 * failed, from which the stream delivers again. What its code fails for is given up in time.
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
    const given = await giveUp(batch.broken, event);
    remaining = batch.remaining.filter((record) => !given.includes(record));
    // Those after a record that was given up have waited for it.
    return given.length > 0 || batch.isRetryable ? AGAIN : undefined;
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
 * A reaction gets the records that did not fail in those before it. If it fails as a whole, the event source halves the batch until it is known for
 * which record.
 */
export async function handleRecords(records: DynamoDBRecord[], reactions: Reaction[]): Promise<Batch> {
  const batch = new Batch(records);
  // A heartbeat costs no reads.
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
