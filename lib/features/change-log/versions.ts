import { type Item, userKey } from '../../dynamodb/keys.ts';
import { readUser, type User } from '../../users/user.ts';
import { type ChangeEntry, readItemBefore } from './entry.ts';

/** The user before and after a change. Nothing is left of both once the user was erased. */
export type Versions = { before: User | undefined; after: User | undefined };

export function readVersions(entry: ChangeEntry): Versions {
  // An item before a change has no key.
  const read = (item: Item | null) => (item ? readUser({ ...item, ...userKey(entry.id) }) : undefined);
  return { before: read(readItemBefore(entry)), after: read(entry.item) };
}
