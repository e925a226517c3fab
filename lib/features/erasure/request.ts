import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import type { Actor } from '../../auth/caller.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { deletionKey, isUserId, userKey } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { transact } from '../../dynamodb/transact.ts';
import { ServiceError, unavailable } from '../../errors.ts';
import { deleteUser } from '../../users/delete.ts';
import type { deleteUserInput } from '../../users/input.ts';
import { readDeletion } from '../change-log/deletions.ts';
import { readEpochs } from '../change-log/epochs.ts';
import { hasEntries } from '../change-log/read.ts';
import { MIN_POSITION, userTopic } from '../change-log/topics.ts';
import { createErasure, findErasure, isQueued } from './record.ts';

type Input = z.infer<typeof deleteUserInput>;

/** Erases a user, or the remaining data of a deleted one. Throws NOT_FOUND, PRECONDITION_FAILED. */
export function eraseUser(input: Input, by: Actor): Promise<{ id: string }> {
  const { id } = input;
  return retryOnConflict(async () => {
    try {
      return await deleteUser(input, by, { erases: true });
    } catch (error) {
      const isDeleted = error instanceof ServiceError && error.code === 'NOT_FOUND' && isUserId(id);
      if (!isDeleted || !(await isKnown(id))) throw error;
    }
    return (await requestErasure(id, by)) ? { id } : 'retry';
  });
}

/** False if the user exists again. */
async function requestErasure(id: string, by: Actor): Promise<boolean> {
  if (await isRequested(id)) return true;
  const [record, pending] = createErasure(id, by);
  const { failures, outcomeUnknown } = await transact({
    user: { ConditionCheck: { TableName, Key: userKey(id), ConditionExpression: 'attribute_not_exists(pk)' } },
    deletion: {
      Update: {
        TableName,
        Key: deletionKey(userKey(id)),
        UpdateExpression: 'SET erasure = :pending',
        ExpressionAttributeValues: { ':pending': 'pending' },
      },
    },
    record,
    pending,
  });
  // A lost request can still succeed if the user is deleted before it arrives.
  if (failures && outcomeUnknown) throw unavailable();
  return !failures;
}

/** False if a restored table contains only a part of an erasure's transaction. */
async function isRequested(id: string): Promise<boolean> {
  const [deletion, erasure, isWaiting] = await Promise.all([readDeletion(userKey(id)), findErasure(id), isQueued(id)]);
  if (!deletion?.erasure || !erasure) return false;
  const isPending = deletion.erasure === 'pending';
  return isWaiting === isPending && (erasure.completedAt === null) === isPending;
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
