import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { runEach } from '../dynamodb/batches.ts';
import { withDeadline } from '../dynamodb/deadline.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { environment } from '../environment.ts';
import { isUnavailable } from '../errors.ts';
import { appendChanges } from '../features/change-log/append.ts';
import type { Change } from '../features/change-log/change.ts';
import { readDeletions } from '../features/change-log/deletions.ts';
import type { LogEnd } from '../features/change-log/order-log.ts';
import { findErased, type IsErased } from '../features/erasure/erased-records.ts';
import { deleteEntries, updateEntries } from '../features/search/entries.ts';
import { purgePosts } from '../posts/purge.ts';
import { FailedRecords, toBatchResponse } from './failed-records.ts';
import { parseChange, parseDeletedKey, parsePurge, parseUserWrite } from './stream-record.ts';

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
    tryEach(appended, failed, MAX_PARALLEL_UPDATES, (record) => {
      const write = parseUserWrite(record);
      return write && (isErased(record) ? deleteEntries(write) : updateEntries(write));
    }),
    tryEach(appended, failed, MAX_PARALLEL_PURGES, (record) => {
      const purge = parsePurge(record);
      return purge && purgePosts(purge);
    }),
  ]);
  return failed;
}

/** Appends the changes of a batch to the change log. */
async function appendBatch(
  records: DynamoDBRecord[],
  { failed, isErased, end }: { failed: FailedRecords; isErased: IsErased; end: LogEnd },
): Promise<void> {
  const changes = await readChanges(records, isErased).catch((error) => failed.add(records, error));
  if (!changes) return;
  const failures = await appendChanges([...changes.keys()], end);
  for (const [error, failedChanges] of Map.groupBy(failures.keys(), (change) => failures.get(change)))
    failed.add(
      failedChanges.flatMap((change) => changes.get(change) ?? []),
      error,
    );
}

async function readChanges(records: DynamoDBRecord[], isErased: IsErased): Promise<Map<Change, DynamoDBRecord>> {
  const findDeletion = await readDeletions(records.flatMap((record) => parseDeletedKey(record) ?? []));
  return new Map(
    records.flatMap((record) => {
      const change = parseChange(record, findDeletion);
      return change ? [[isErased(record) ? eraseContent(change) : change, record]] : [];
    }),
  );
}

const eraseContent = ({ before, ...change }: Change): Change => ({ ...change, item: null });

/** `run` gives undefined where a record asks for nothing. */
async function tryEach(
  records: DynamoDBRecord[],
  failed: FailedRecords,
  maxParallel: number,
  run: (record: DynamoDBRecord) => Promise<void> | undefined,
): Promise<void> {
  const tryRun = async (record: DynamoDBRecord) => {
    try {
      await run(record);
    } catch (error) {
      failed.add([record], error);
    }
  };
  await runEach(records, tryRun, maxParallel);
}
