import type { DynamoDBRecord } from 'aws-lambda';
import { appendPostChange, appendUserChanges, type Change, type LogHead } from '../change-log/append.ts';
import { readDeletions } from '../deletions.ts';
import { isUnavailable } from '../errors.ts';
import { sizes } from '../sizes.ts';
import type { FailedRecords } from './failed-records.ts';
import { parseChange, parseDeletedKey } from './stream-record.ts';

type Delivery = { record: DynamoDBRecord; change: Change };

/** Appends the changes of a batch to the change log. */
export async function appendBatch(records: DynamoDBRecord[], failed: FailedRecords, head: LogHead): Promise<void> {
  const deliveries = await readChanges(records).catch((error) => failed.add(records, error));
  if (!deliveries) return;
  const { user = [], post = [] } = Object.groupBy(deliveries, ({ change }) => change.entity);
  await Promise.all([appendUsers(user, failed, head), appendPosts(post, failed)]);
}

async function readChanges(records: DynamoDBRecord[]): Promise<Delivery[]> {
  const findDeletion = await readDeletions(records.flatMap((record) => parseDeletedKey(record) ?? []));
  return records.flatMap((record) => {
    const change = parseChange(record, findDeletion);
    return change ? [{ record, change }] : [];
  });
}

/** Changes of one user stay in order: after one that failed, the user's later ones wait for the next delivery. */
async function appendUsers(deliveries: Delivery[], failed: FailedRecords, head: LogHead): Promise<void> {
  const failedUsers = new Set<string>();
  const groups = splitIntoGroups(deliveries, sizes.changesPerEntry);
  for (let group = groups.shift(); group; group = groups.shift()) {
    const due = group.filter(({ change }) => !failedUsers.has(change.userId));
    try {
      await appendUserChanges(
        due.map(({ change }) => change),
        head,
      );
    } catch (error) {
      // One change that can never be appended must not hold up those of other users.
      if (due.length > 1 && !isUnavailable(error)) groups.unshift(...splitIntoGroups(due, 1));
      else {
        failed.add(
          due.map(({ record }) => record),
          error,
        );
        for (const { change } of due) failedUsers.add(change.userId);
      }
    }
  }
}

const splitIntoGroups = (deliveries: Delivery[], size: number): Delivery[][] =>
  Array.from({ length: Math.ceil(deliveries.length / size) }, (_, index) =>
    deliveries.slice(index * size, (index + 1) * size),
  );

/** Changes to the posts of one author stay in order; authors do not wait for each other. */
async function appendPosts(deliveries: Delivery[], failed: FailedRecords): Promise<void> {
  const byAuthor = Map.groupBy(deliveries, ({ change }) => change.userId);
  await Promise.all([...byAuthor.values()].map((changes) => appendInOrder(changes, failed)));
}

async function appendInOrder(deliveries: Delivery[], failed: FailedRecords): Promise<void> {
  for (const { record, change } of deliveries)
    try {
      await appendPostChange(change);
    } catch (error) {
      return failed.add([record], error);
    }
}
