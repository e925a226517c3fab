import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { withDeadline } from '../dynamodb/deadline.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { Batch, type Reaction } from './batch.ts';
import { toBatchResponse } from './stream-record.ts';

/**
 * Handles a batch of the table's stream. It waits for an unavailable database; the response names the first record that
 * failed, from which the stream delivers again.
 */
export async function handleStreamBatch(
  { Records }: DynamoDBStreamEvent,
  reactions: Reaction[],
): Promise<DynamoDBBatchResponse> {
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
