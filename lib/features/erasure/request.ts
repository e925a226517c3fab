import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import type { Actor } from '../../auth/caller.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { deletionKey, isUserId, userKey } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { transact } from '../../dynamodb/transact.ts';
import { notFound, ServiceError, unavailable } from '../../errors.ts';
import { mapParallel } from '../../parallel.ts';
import { deleteUser, type RelatedUsers } from '../../users/delete.ts';
import { type Claim, createEmailClaim } from '../../users/derived.ts';
import type { deleteUserInput } from '../../users/input.ts';
import { checkConditions, findStoredUser } from '../../users/read.ts';
import type { User } from '../../users/user.ts';
import { readDeletion } from '../change-log/deletions.ts';
import { readEpochs } from '../change-log/epochs.ts';
import { hasEntries, readLastVersion } from '../change-log/read.ts';
import { MIN_POSITION, userTopic } from '../change-log/topics.ts';
import { createSubjectClaim, findFormerUsers } from './former-records.ts';
import { createErasure, findErasure, isQueued } from './record.ts';

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

/**
 * Requests erasures of deleted users with the same subject. Call this before the erasure of `user`: after a crash, the
 * repeated request finds the user again. Returns them, and other deleted users with the same address.
 */
export async function eraseEarlierRecords(user: Pick<User, 'id' | 'email' | 'own'>, by: Actor): Promise<RelatedUsers> {
  const [earlier, withAddress] = await Promise.all([
    eraseFormerUsers(createSubjectClaim(user), user.id, by),
    findFormerUsers(createEmailClaim(user.email), user.id),
  ]);
  const others = withAddress.filter(({ erasure, id }) => !erasure && !earlier.includes(id));
  return { earlierRecords: earlier, sameAddress: others.map(({ id }) => id) };
}

/** Requests erasures of deleted users with this claim, except `id`. Returns the ids of erasures that are pending. */
export async function eraseFormerUsers(claim: Claim | undefined, id: string, by: Actor): Promise<string[]> {
  const former = (await findFormerUsers(claim, id)).filter(({ erasure }) => erasure !== 'completed');
  const isErased = await mapParallel(former, (each) => requestErasure(each.id, by));
  return former.filter((_, at) => isErased[at]).map((each) => each.id);
}

const NOBODY: RelatedUsers = { earlierRecords: [], sameAddress: [] };

/** False if the user exists again. */
async function requestErasure(id: string, by: Actor, related = NOBODY): Promise<boolean> {
  if (await isRequested(id)) return true;
  const [record, pending] = createErasure(id, by, related);
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
