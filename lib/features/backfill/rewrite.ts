import { SYSTEM } from '../../auth/caller.ts';
import { TableName } from '../../dynamodb/client.ts';
import { formatKey, userKey } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { MAX_TRANSACTION_ITEMS, transact } from '../../dynamodb/transact.ts';
import { compareDerived, formatDerivedKey, hasExpectedKeys, hasValue } from '../../users/derived.ts';
import { findStoredUser } from '../../users/read.ts';
import type { StoredUser } from '../../users/user.ts';
import {
  claimItem,
  recordItem,
  releaseItem,
  type SharedValue,
  type UserWrite,
  type WriteOutcome,
  writeUser,
  writeUsers,
} from '../../users/write.ts';

/** Two users share a value of a unique field. The older one, `ownerId`, has the claim. */
export type Duplicate = { field: string; userId: string; ownerId: string };

type Rewritten = { rewritten: number; duplicates: Duplicate[] };

/** Corrects derived items without a new version. If users share a value, the oldest gets the claim. */
export async function rewriteUsers(users: StoredUser[], formerFields: readonly string[] = []): Promise<Rewritten> {
  const differing = users
    .filter((stored) => !hasExpectedKeys(stored, formerFields))
    .toSorted((one, other) => (one.user.id < other.user.id ? -1 : 1));
  return settleShared(await writeUsers(differing.map((stored) => createRewrite(stored, formerFields))));
}

/**
 * `stored.derived` must list the derived items that the table has. Writes nothing if the user changed since the read.
 */
export async function rewriteAsRead(stored: StoredUser): Promise<number> {
  const write = createRewrite(stored, []);
  const outcome = await writeUser({
    ...write,
    plan: (read) => (read === stored ? write.plan(read, undefined) : undefined),
  });
  return (await settleShared([outcome])).rewritten;
}

/** A rewrite skips claims of shared values. Takes them from younger users. `outcomes`: oldest user first. */
async function settleShared(outcomes: WriteOutcome[]): Promise<Rewritten> {
  const result: Rewritten = { rewritten: 0, duplicates: [] };
  const newOwners = new Map<string, string>();
  for (const outcome of outcomes) {
    if (outcome.kind !== 'written' && outcome.kind !== 'unneeded') continue;
    let isRewritten = outcome.kind === 'written';
    for (const shared of outcome.shared) {
      const { claim, userId, holder } = shared;
      const field = claim.claimOf;
      const ownerId = newOwners.get(claim.key.pk) ?? holder.user.id;
      if (ownerId < userId) {
        result.duplicates.push({ field, userId, ownerId });
      } else if (await takeClaim(shared)) {
        isRewritten = true;
        newOwners.set(claim.key.pk, userId);
        result.duplicates.push({ field, userId: ownerId, ownerId: userId });
      } else {
        // A user has changed meanwhile.
        const user = await findStoredUser(userId);
        const again = await rewriteUsers(user ? [user] : []);
        result.rewritten += again.rewritten;
        result.duplicates.push(...again.duplicates);
      }
    }
    if (isRewritten) result.rewritten++;
  }
  return result;
}

/** In one transaction, because the value must never be free. The younger user keeps the value. */
async function takeClaim({ claim: { key }, userId, holder, stored }: SharedValue): Promise<boolean> {
  const user = await findStoredUser(userId);
  if (!user || !hasValue(user.user, key)) return false;
  const text = formatDerivedKey(key, userId);
  const { failures } = await transact({
    claim: claimItem(key, { userId, version: user.user.version }, stored),
    user: recordItem(user, [...user.derived, text]),
    holder: recordItem(
      holder,
      holder.derived.filter((recorded) => recorded !== text),
    ),
  });
  return !failures;
}

const createRewrite = (current: StoredUser, formerFields: readonly string[]): UserWrite => ({
  current,
  rewrite: { formerFields },
  async plan(read) {
    const before = read ?? (await findStoredUser(current.user.id));
    if (!before) return undefined;
    return { before, after: { ...before.user, by: before.user.by ?? SYSTEM } };
  },
});

/**
 * Deletes items left by a deletion or replacement by hand. Keeps items that the stored user still needs, or that its
 * record lists: another release may have written them.
 */
export async function deleteLeftItems(id: string, derived: readonly string[]): Promise<void> {
  await retryOnConflict(async () => {
    const current = await findStoredUser(id);
    const condition = current
      ? { ConditionExpression: 'version = :read', ExpressionAttributeValues: { ':read': current.user.version } }
      : { ConditionExpression: 'attribute_not_exists(pk)' };
    const left = derived.filter((text) => !current?.derived.includes(text));
    let keys = compareDerived(left, current?.user, id).deletes;
    while (keys.length > 0) {
      const part = keys.slice(0, MAX_TRANSACTION_ITEMS - 1);
      const { failures = {} } = await transact<string>({
        user: { ConditionCheck: { TableName, Key: userKey(id), ...condition } },
        ...Object.fromEntries(part.map((key) => [formatKey(key), releaseItem(key, id)])),
      });
      // The user changed meanwhile.
      if (failures.user) return 'retry';
      // The condition of a claim fails if another user owns it: keep such claims, and delete the rest.
      const kept = Object.keys(failures);
      keys = kept.length === 0 ? keys.slice(part.length) : keys.filter((key) => !kept.includes(formatKey(key)));
    }
    return undefined;
  });
}
