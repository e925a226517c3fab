import { SYSTEM } from '../../auth/caller.ts';
import { TableName } from '../../dynamodb/client.ts';
import { formatKey, userKey } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { MAX_TRANSACTION_ITEMS, transact } from '../../dynamodb/transact.ts';
import { compareDerived, hasExpectedKeys } from '../../users/derived.ts';
import { findStoredUser } from '../../users/read.ts';
import type { StoredUser } from '../../users/user.ts';
import { type Duplicate, releaseItem, type UserWrite, writeUser, writeUsers } from '../../users/write.ts';

type Rewritten = { rewritten: number; duplicates: Duplicate[] };

/**
 * Corrects derived items without a new version. Oldest user first, because the oldest user gets a duplicate's claim.
 */
export async function rewriteUsers(users: StoredUser[], formerFields: readonly string[] = []): Promise<Rewritten> {
  const differing = users
    .filter((stored) => !hasExpectedKeys(stored, formerFields))
    .toSorted((one, other) => (one.user.id < other.user.id ? -1 : 1));
  const result: Rewritten = { rewritten: 0, duplicates: [] };
  for (const outcome of await writeUsers(differing.map((stored) => createRewrite(stored, formerFields)))) {
    if (outcome.kind !== 'written' && outcome.kind !== 'unneeded') continue;
    if (outcome.kind === 'written') result.rewritten++;
    result.duplicates.push(...outcome.duplicates);
  }
  return result;
}

/**
 * `stored.derived` must list the derived items that the table has. Writes nothing if the user changed since the read.
 */
export async function rewriteAsRead(stored: StoredUser): Promise<number> {
  const write = createRewrite(stored, []);
  const { kind } = await writeUser({
    ...write,
    plan: (read) => (read === stored ? write.plan(read, undefined) : undefined),
  });
  return kind === 'written' ? 1 : 0;
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
