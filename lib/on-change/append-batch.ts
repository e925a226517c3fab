import type { DynamoDBRecord } from 'aws-lambda';
import { appendChanges } from '../change-log/append.ts';
import type { Change } from '../change-log/change.ts';
import type { LogEnd } from '../change-log/order-log.ts';
import { readDeletions } from '../deletions.ts';
import type { IsErased } from './erased.ts';
import type { FailedRecords } from './failed-records.ts';
import { parseChange, parseDeletedKey } from './stream-record.ts';

/** Appends the changes of a batch to the change log. */
export async function appendBatch(
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
