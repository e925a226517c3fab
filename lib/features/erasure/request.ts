import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import type { Actor } from '../../auth/caller.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { isUserId, userKey } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { deleteUser } from '../../users/delete.ts';
import type { deleteUserInput } from '../../users/input.ts';
import { checkConditions, findStoredUser } from '../../users/read.ts';
import { readEpochs } from '../change-log/epochs.ts';
import { hasEntries, readLastVersion } from '../change-log/read.ts';
import { MIN_POSITION, userTopic } from '../change-log/topics.ts';
import { eraseEarlierRecords, requestErasure } from './earlier-records.ts';

type Input = z.infer<typeof deleteUserInput>;

/**
 * Erases a user, or the remaining data of a deleted one, and the person's earlier records. Throws NOT_FOUND,
 * PRECONDITION_FAILED.
 */
export function eraseUser(input: Input, by: Actor): Promise<{ id: string }> {
  const { id } = input;
  return retryOnConflict(async () => {
    const current = await findStoredUser(id);
    if (!current) return (await eraseDeletedUser(id, by)) ? { id } : 'retry';
    checkConditions(current.user, input);
    const erasure = await eraseEarlierRecords(current.user, by);
    try {
      return await deleteUser(input, by, { current, erasure });
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'NOT_FOUND') return 'retry';
      throw error;
    }
  });
}

/** False if the user exists again. Throws NOT_FOUND. */
async function eraseDeletedUser(id: string, by: Actor): Promise<boolean> {
  if (!isUserId(id) || !(await isKnown(id))) throw notFound('User');
  // If the log is late, the job finds the earlier records.
  const last = await readLastVersion(id);
  return requestErasure(id, by, last ? await eraseEarlierRecords(last, by) : undefined);
}

async function isKnown(id: string): Promise<boolean> {
  const { Count } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': userKey(id).pk },
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  if (Count !== 0) return true;
  for (const epoch of await readEpochs()) if (await hasEntries(userTopic(id, epoch), MIN_POSITION)) return true;
  return false;
}
