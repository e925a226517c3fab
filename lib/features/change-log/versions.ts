import { type Item, userKey } from '../../dynamodb/keys.ts';
import { readUser, showUser, type User } from '../../users/user.ts';
import type { ChangeEntry } from './entry.ts';
import type { LoggedChange } from './subscribe.ts';

/** The user before and after a change. Both are undefined once the user was erased. */
export type Versions = { before: User | undefined; after: User | undefined };

export function readVersions(entry: Pick<ChangeEntry, 'id' | 'item' | 'before'>): Versions {
  // An item before a change has no key.
  const read = (item: Item | null) => (item ? readUser({ ...item, ...userKey(entry.id) }) : undefined);
  return { before: read(readItemBefore(entry)), after: read(entry.item) };
}

/** Returns the stored item as it was before the change; null if there was none, or if it was erased. */
export const readItemBefore = ({ item, before }: Pick<ChangeEntry, 'item' | 'before'>): Item | null =>
  before ? { ...item, ...before } : null;

/** Returns the names of the members that differ. */
export function listChanged({ before, after }: Versions): string[] {
  const old: Record<string, unknown> = before ? showUser(before) : {};
  const current: Record<string, unknown> = after ? showUser(after) : {};
  return Object.keys({ ...old, ...current }).filter((name) => !isSame(old[name], current[name]));
}

/** Values are plain, or lists of plain ones. */
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Returns a change as GraphQL shows it. `read` may skip an item that was damaged by hand. */
export const showUserChange = <Read>(change: LoggedChange, read: (item: Item) => Read) => ({
  ...change,
  user: change.item && read(change.item),
  changed: listChanged(readVersions(change)),
});
