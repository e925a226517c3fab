import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { withDeadline } from '../dynamodb/deadline.ts';
import { purgePosts } from '../posts/purge.ts';
import { appendBatch } from './append-batch.ts';
import { parsePurge } from './change.ts';
import { FailedRecords } from './failed-records.ts';

/** Ends well before the function's own timeout (infra/stack), so that the response names the record that failed. */
const BATCH_TIME_LIMIT_MS = 40_000;

/** The deletes of one author are one request at a time; these are for different authors, and so partitions. */
const MAX_PARALLEL_PURGES = 5;

/**
 * Consumes a batch of the table's stream: appends all changes to the change log, then deletes posts of deleted users.
 * Responds with the first record that failed, from which the stream delivers again; all of it is safe to repeat.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html
 */
export async function consume({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const failed = new FailedRecords();
  await withDeadline(BATCH_TIME_LIMIT_MS, async () => {
    await appendBatch(Records, failed);
    await purgeAll(
      Records.filter((record) => !failed.has(record)),
      failed,
    );
  });
  return failed.toResponse(Records);
}

async function purgeAll(records: DynamoDBRecord[], failed: FailedRecords): Promise<void> {
  const due = records.flatMap((record) => {
    const purge = parsePurge(record);
    return purge ? [{ record, purge }] : [];
  });
  for (let start = 0; start < due.length; start += MAX_PARALLEL_PURGES)
    await Promise.all(
      due
        .slice(start, start + MAX_PARALLEL_PURGES)
        .map(({ record, purge }) => purgePosts(purge).catch((error) => failed.add([record], error))),
    );
}
