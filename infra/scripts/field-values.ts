import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { SYSTEM } from '../../lib/auth/caller.ts';
import { deleteItems } from '../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import { type Item, type Key, uniqueKey, userKey } from '../../lib/dynamodb/keys.ts';
import { timestamp } from '../../lib/environment.ts';
import { readBackfill } from '../../lib/features/backfill/record.ts';
import { mapParallel } from '../../lib/parallel.ts';
import { nameClaims, ownFields, parseClaimName, resolveFields } from '../../lib/users/fields/values.ts';
import { findStoredUser } from '../../lib/users/read.ts';
import { type NewVersion, type StoredUser, tryParseStoredUser, type User } from '../../lib/users/user.ts';
import { type WriteOutcome, writeUser } from '../../lib/users/write.ts';

export type Purged = { scanned: number; users: number; claims: number; unreadable: Key[] };

type Options = { isDryRun?: boolean; onScan?: (items: number) => void };

const MAX_PARALLEL_UPDATES = 10;

/**
 * Deletes all values of the field, and their uniqueness claims. Safe to repeat. Throws if the field is still declared.
 */
export async function purgeField(name: string, { isDryRun = false, onScan }: Options = {}): Promise<Purged> {
  await requireUndeclared(name);
  // The field may have been declared with either value of `unique`.
  const prefixes = [true, 'exact' as const].map((unique) => uniqueKey(nameClaims({ name, unique }), '').pk);
  const purged: Purged = { scanned: 0, users: 0, claims: 0, unreadable: [] };
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true })) {
    const items = Items as (Item & Key)[]; // Every item has a key.
    const withValue = items.filter(({ sk, fields }) => sk === userKey('').sk && hasValue(fields, name));
    const users = withValue.flatMap((item) => tryParseStoredUser(item) ?? []);
    const claims = items.filter(({ pk }) => prefixes.some((prefix) => pk.startsWith(prefix)));
    if (!isDryRun) {
      await mapParallel(users, (user) => removeValue(user, name), MAX_PARALLEL_UPDATES);
      await deleteItems(claims.map(({ pk, sk }) => ({ pk, sk })));
    }
    purged.scanned += items.length;
    purged.users += users.length;
    purged.claims += claims.length;
    purged.unreadable.push(...withValue.filter((item) => !tryParseStoredUser(item)).map(({ pk, sk }) => ({ pk, sk })));
    onScan?.(purged.scanned);
  }
  return purged;
}

/** Also reads the deployed declarations, which the table contains. */
async function requireUndeclared(name: string): Promise<void> {
  if (ownFields.some((field) => field.name === name))
    throw new Error(`The field ${name} is still declared: remove its declaration and deploy first`);
  const backfill = await readBackfill();
  if (!backfill) return;
  const listed = Object.keys(backfill.lists).map((list) => list.replace('=', ''));
  if ([...backfill.unique.map(parseClaimName), ...backfill.search.map((field) => field.name), ...listed].includes(name))
    throw new Error(
      `The deployed service still declares ${name} as a unique, search, filter or sort field: deploy without it, then wait until its backfill has started`,
    );
}

const hasValue = (fields: unknown, name: string): boolean =>
  typeof fields === 'object' && fields !== null && Object.hasOwn(fields, name);

const removeValue = (current: StoredUser, name: string): Promise<WriteOutcome> =>
  writeUser({
    current,
    async plan(read) {
      const before = read ?? (await findStoredUser(current.user.id));
      if (!before || !hasValue(before.user.fields, name)) return undefined;
      return { before, after: withoutValue(before.user, name) };
    },
  });

function withoutValue(user: User, name: string): NewVersion {
  const { [name]: _, ...fields } = user.fields ?? {};
  return { ...user, ...resolveFields(fields), updatedAt: timestamp(), version: user.version + 1, by: SYSTEM };
}
