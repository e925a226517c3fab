import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { createEntries, createTombstone, type Entry } from './entries.ts';
import { readUser } from './read-user.ts';

/** The stored item of a user before and after a write; undefined where there is none. */
export type UserWrite = { before: Item | undefined; after: Item | undefined };

/**
 * Brings the entries of a user to what a write made of the user. For each key the highest version wins, so that records
 * of the stream may be consumed in any order, late, several times and by several consumers at once.
 */
export async function updateEntries({ before, after }: UserWrite): Promise<void> {
  const [oldUser, user] = [before, after].map((item) => (item === undefined ? undefined : readUser(item)));
  const version = user?.version ?? (oldUser?.version ?? 0) + 1;
  const entries = user ? createEntries(user) : [];
  const isKept = ({ pk, sk }: Entry) => entries.some((entry) => entry.pk === pk && entry.sk === sk);
  const removed = oldUser ? createEntries(oldUser).filter((entry) => !isKept(entry)) : [];
  await Promise.all([...entries, ...removed.map((entry) => createTombstone(entry, version))].map(putItemIfNewer));
}

/** Also when its answer was lost: what is stored then has this version, or a higher one. */
const putItemIfNewer = (Item: Entry): Promise<boolean> =>
  putItemIf({
    Item,
    ConditionExpression: 'attribute_not_exists(pk) OR version < :version',
    ExpressionAttributeValues: { ':version': Item.version },
  });
