import { type Item, userKey } from '../../dynamodb/keys.ts';
import { showUser, tryParseUser, type User } from '../../users/user.ts';
import type { ChangeEntry } from './entry.ts';
import type { LoggedChange } from './subscribe.ts';

/** Both are undefined after an erasure. */
export type Versions = { before: User | undefined; after: User | undefined };

export function parseVersions(entry: Pick<ChangeEntry, 'id' | 'item' | 'before'>): Versions {
  const read = (item: Item | null) => (item ? tryParseUser({ ...item, ...userKey(entry.id) }) : undefined);
  return { before: read(toItemBefore(entry)), after: read(entry.item) };
}

/** Null if the item did not exist or was erased. */
export const toItemBefore = ({ item, before }: Pick<ChangeEntry, 'item' | 'before'>): Item | null =>
  before ? { ...item, ...before } : null;

export function listChanged({ before, after }: Versions): string[] {
  const old: Record<string, unknown> = before ? showUser(before) : {};
  const current: Record<string, unknown> = after ? showUser(after) : {};
  return Object.keys({ ...old, ...current }).filter((name) => !isSame(old[name], current[name]));
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

export const showUserChange = <Read>(change: LoggedChange, read: (item: Item) => Read) => ({
  ...change,
  user: change.item && read(change.item),
  changed: listChanged(parseVersions(change)),
});
