import { type Item, userKey } from '../../dynamodb/keys.ts';
import { readUser, type User } from '../../users/schema.ts';
import { type ChangeEntry, readItemBefore } from './entry.ts';

type Content = Pick<ChangeEntry, 'id' | 'item' | 'before'>;

/** The user before and after a change. Nothing is left of both once the user was erased. */
export type Versions = { before: User | undefined; after: User | undefined };

export function readVersions(entry: Content): Versions {
  // An item before a change has no key.
  const read = (item: Item | null) => (item ? readUser({ ...item, ...userKey(entry.id) }) : undefined);
  return { before: read(readItemBefore(entry)), after: read(entry.item) };
}

/** Those of the two that there are. */
export const listVersions = (entry: Content): User[] =>
  Object.values(readVersions(entry)).filter((user) => user !== undefined);
