import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { TableName } from '../dynamodb/client.ts';
import { withDeadline } from '../dynamodb/deadline.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { Batch, type Reaction } from './batch.ts';
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
 * failed, from which the stream delivers again.
 */
export async function handleStreamBatch(
  { Records }: DynamoDBStreamEvent,
  reactions: Reaction[],
): Promise<DynamoDBBatchResponse> {
  if (Records.some(isOfOtherTable)) {
    console.warn({ event: 'records of another table', source: Records[0]?.eventSourceARN });
    return toBatchResponse(Records);
  }
  let remaining = Records;
  const attempt = async () => {
    const batch = await handleRecords(remaining, reactions);
    remaining = batch.remaining;
    return batch.isRetryable ? AGAIN : undefined;
  };
  try {
    await withDeadline(environment.batchTimeLimitMs, () => retryOnConflict(attempt));
  } catch (error) {
    // The deadline has passed, and each failure has been logged.
    if (!isUnavailable(error)) throw error;
  }
  return toBatchResponse(remaining);
}

/** A reaction gets the records that did not fail in those before it. */
export async function handleRecords(records: DynamoDBRecord[], reactions: Reaction[]): Promise<Batch> {
  const batch = new Batch(records);
  for (const react of reactions) await react(batch);
  return batch;
}
