import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import type { LogEnd } from '../change-log/order-log.ts';
import { withDeadline } from '../dynamodb/deadline.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { deleteEntries, updateEntries } from '../users/search/entries.ts';
import { appendBatch } from './append-batch.ts';
import { findErased } from './erased.ts';
import { FailedRecords, toBatchResponse } from './failed-records.ts';
import { purgePosts } from './purge.ts';
import { parsePurge, parseUserWrite } from './stream-record.ts';

/** The deletes of one author are one request at a time; these are for different authors, and so partitions. */
const MAX_PARALLEL_PURGES = 5;

/** A user has some three search entries, each one request. */
const MAX_PARALLEL_UPDATES = 10;

/**
 * Handles a batch of the table's stream. It waits for an unavailable database; the response names the first record that
 * failed, from which the stream delivers again.
 */
export async function handleStreamBatch({ Records }: DynamoDBStreamEvent, end: LogEnd): Promise<DynamoDBBatchResponse> {
  let remaining = Records;
  const attempt = async () => {
    const failed = await handleRecords(remaining, end);
    remaining = failed.selectRemaining(remaining);
    return failed.isRetryable ? AGAIN : undefined;
  };
  try {
    await withDeadline(environment.batchTimeLimitMs, () => retryOnConflict(attempt));
  } catch (error) {
    // The deadline has passed, and each failure has been logged.
    if (!isUnavailable(error)) throw error;
  }
  return toBatchResponse(remaining);
}

/** Appends all changes to the change log, then updates the search index and deletes posts of deleted users. All of it is safe to repeat. */
export async function handleRecords(records: DynamoDBRecord[], end: LogEnd): Promise<FailedRecords> {
  const failed = new FailedRecords();
  const isErased = await findErased(records).catch((error) => failed.add(records, error));
  if (!isErased) return failed;
  if (environment.keepsChangeLog) await appendBatch(records, { failed, isErased, end });
  const appended = records.filter((record) => !failed.has(record));
  await Promise.all([
    runEach(appended, failed, MAX_PARALLEL_UPDATES, (record) => {
      const write = parseUserWrite(record);
      return write && (isErased(record) ? deleteEntries(write) : updateEntries(write));
    }),
    runEach(appended, failed, MAX_PARALLEL_PURGES, (record) => {
      const purge = parsePurge(record);
      return purge && purgePosts(purge);
    }),
  ]);
  return failed;
}

/** `run` gives undefined where a record asks for nothing. */
async function runEach(
  records: DynamoDBRecord[],
  failed: FailedRecords,
  maxParallel: number,
  run: (record: DynamoDBRecord) => Promise<void> | undefined,
): Promise<void> {
  const waiting = [...records];
  const runNext = async () => {
    for (let record = waiting.shift(); record; record = waiting.shift())
      try {
        await run(record);
      } catch (error) {
        failed.add([record], error);
      }
  };
  await Promise.all(Array.from({ length: maxParallel }, runNext));
}
