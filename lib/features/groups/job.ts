import { type Actor, SYSTEM } from '../../auth/caller.ts';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName } from '../../dynamodb/client.ts';
import { transact } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { isUnavailable } from '../../errors.ts';
import { logError } from '../../log.ts';
import type { Job } from '../../maintenance/run.ts';
import { mapParallel } from '../../parallel.ts';
import { isListComplete } from '../backfill/complete-lists.ts';
import { parseStoredGroup } from './group.ts';
import { deletedGroupsKey, groupKey } from './keys.ts';
import { listMemberIds, removeFormerMember } from './members.ts';
import { memberPartitions } from './membership-entries.ts';
import { readDeletedGroups } from './read.ts';

/** Removes the memberships of deleted groups, oldest first. Safe to repeat after a crash. */
export const groupDeletionsJob: Job = {
  name: 'groupDeletions',
  turnMs: 5_000,
  async *run() {
    let removed = 0;
    const completed: string[] = [];
    const errors: unknown[] = [];
    for (const id of await readDeletedGroups()) {
      try {
        for await (const progress of removeMemberships(id)) {
          removed += progress.removed;
          if (progress.isCompleted) completed.push(id);
          yield { removed, completed };
        }
      } catch (error) {
        if (isUnavailable(error)) throw error;
        logError(error, { group: id });
        errors.push(error);
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} deletions of groups failed`);
  },
};

/** Longer than a request: until then, a request that read the group before its deletion may still add a member. */
const SETTLING_MS = 60_000;

/** Members that one part of the work removes. */
const BATCH = 100;
const MAX_PARALLEL = 10;

type Progress = { removed: number; isCompleted: boolean };

/** Yields after each batch. Completes the deletion in a run that finds no membership after SETTLING_MS. */
async function* removeMemberships(id: string): AsyncGenerator<Progress> {
  const deletion = await findDeletion(id);
  const isSettled = environment.now() - Date.parse(deletion.at) >= SETTLING_MS;
  const failed: string[] = [];
  let found = 0;
  for (let after: string | undefined, isEnd = false; !isEnd; ) {
    const userIds = await listMemberIds(id, BATCH, { after });
    const results = await mapParallel(userIds, (userId) => tryRemove(id, userId, deletion.by), MAX_PARALLEL);
    failed.push(...userIds.filter((_, at) => results[at] === 'failed'));
    const removed = results.filter((result) => result === 'removed').length;
    found += removed;
    yield { removed, isCompleted: false };
    isEnd = userIds.length < BATCH;
    after = userIds.at(-1);
  }
  if (failed.length > 0) throw new Error(`Cannot remove ${failed.length} members, such as ${failed[0]}`);
  // Entries of members may be elsewhere until a backfill has followed changed roles.
  const [list = ''] = memberPartitions(id);
  if (found > 0 || !isSettled || !(await isListComplete(list))) return;
  await complete(id, deletion.at);
  yield { removed: 0, isCompleted: true };
}

/** A member that cannot be removed must not keep the others. */
async function tryRemove(id: string, userId: string, by: Actor): Promise<'removed' | 'unneeded' | 'failed'> {
  try {
    return (await removeFormerMember(id, userId, by)) ? 'removed' : 'unneeded';
  } catch (error) {
    if (isUnavailable(error)) throw error;
    logError(error, { group: id, user: userId });
    return 'failed';
  }
}

/** A group that was removed by hand is settled. */
async function findDeletion(id: string): Promise<{ at: string; by: Actor }> {
  const [item] = await getItems([groupKey(id)], { ConsistentRead: true });
  return (item && parseStoredGroup(item).deletion) ?? { at: new Date(0).toISOString(), by: SYSTEM };
}

/** Does nothing if another run has completed the deletion. */
const complete = (id: string, at: string) =>
  transact({
    group: {
      Delete: {
        TableName,
        Key: groupKey(id),
        ConditionExpression: 'attribute_not_exists(pk) OR deletedAt = :at',
        ExpressionAttributeValues: { ':at': at },
      },
    },
    deletions: {
      Update: {
        TableName,
        Key: deletedGroupsKey,
        UpdateExpression: 'REMOVE #id',
        ExpressionAttributeNames: { '#id': id },
      },
    },
  });
