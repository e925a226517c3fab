import type { Actor } from '../../auth/caller.ts';
import { TableName } from '../../dynamodb/client.ts';
import { deletionKey, userKey } from '../../dynamodb/keys.ts';
import { type TransactItem, transact } from '../../dynamodb/transact.ts';
import { unavailable } from '../../errors.ts';
import { mapParallel } from '../../parallel.ts';
import type { RelatedUsers } from '../../users/deletion-record.ts';
import { type Claim, createEmailClaim } from '../../users/derived.ts';
import type { User } from '../../users/user.ts';
import { readDeletion } from '../change-log/deletions.ts';
import { findFormerUsers, listPersonClaims, mergeClaim } from './former-records.ts';
import { createErasure, findErasure, isQueued } from './record.ts';

// Separate from request.ts, because `delete-me` does not load the change log.

/**
 * Requests erasures of deleted users with a same subject, and of merged ones. Call this before the erasure of `user`: after a crash, the
 * repeated request finds the user again. Returns them, and other deleted users with the same address. Throws
 * SERVICE_UNAVAILABLE if the condition `guard` fails.
 */
export async function eraseEarlierRecords(
  user: Pick<User, 'id' | 'email' | 'own'>,
  by: Actor,
  guard?: TransactItem,
): Promise<RelatedUsers> {
  const [earlier, withAddress] = await Promise.all([
    eraseFormerUsers(listPersonClaims(user), user.id, by, guard),
    findFormerUsers([createEmailClaim(user.email)], user.id),
  ]);
  const others = withAddress.filter(({ erasure, id }) => !erasure && !earlier.includes(id));
  return { earlierRecords: earlier, sameAddress: others.map(({ id }) => id) };
}

/**
 * Requests erasures of deleted users who had any of these claims, except `id`, and of users merged into them. Returns
 * the ids of pending erasures.
 */
export async function eraseFormerUsers(
  claims: readonly Claim[],
  id: string,
  by: Actor,
  guard?: TransactItem,
): Promise<string[]> {
  const former = (await findFormerUsers(claims, id)).filter(({ erasure }) => erasure !== 'completed');
  const isErased = await mapParallel(former, (each) => requestErasure(each.id, by, NOBODY, guard));
  const erased = former.filter((_, at) => isErased[at]).map((each) => each.id);
  const merged = await mapParallel(erased, (each) => eraseFormerUsers([mergeClaim(each)], each, by, guard));
  return [...erased, ...merged.flat()];
}

const NOBODY: RelatedUsers = { earlierRecords: [], sameAddress: [] };

/** False if the user exists again. Throws SERVICE_UNAVAILABLE if the condition `guard` fails. */
export async function requestErasure(id: string, by: Actor, related = NOBODY, guard?: TransactItem): Promise<boolean> {
  if (await isRequested(id)) return true;
  const [record, pending] = createErasure(id, by, related);
  const { failures, outcomeUnknown } = await transact<string>({
    user: { ConditionCheck: { TableName, Key: userKey(id), ConditionExpression: 'attribute_not_exists(pk)' } },
    deletion: {
      Update: {
        TableName,
        Key: deletionKey(userKey(id)),
        // The posts of an erased user do not follow.
        UpdateExpression: 'SET erasure = :pending REMOVE mergedInto, mergedVersion',
        ExpressionAttributeValues: { ':pending': 'pending' },
      },
    },
    record,
    pending,
    ...(guard ? { guard } : {}),
  });
  if (failures?.guard) throw unavailable();
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
