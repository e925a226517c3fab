import { type Item, userKey } from '../../dynamodb/keys.ts';
import { isEqualJson } from '../../input/json-equality.ts';
import { pickClientMembers, tryParseUser, type User } from '../../users/user.ts';
import type { ChangeEntry, LoggedChange } from './entry.ts';

/** Both are undefined after an erasure. */
export type Versions = { before: User | undefined; after: User | undefined };

export function parseVersions(entry: Pick<ChangeEntry, 'id' | 'item' | 'before'>): Versions {
  const parse = (item: Item | null) => (item ? tryParseUser({ ...item, ...userKey(entry.id) }) : undefined);
  return { before: parse(toItemBefore(entry)), after: parse(entry.item) };
}

/** Null if the item did not exist or was erased. */
export const toItemBefore = ({ item, before }: Pick<ChangeEntry, 'item' | 'before'>): Item | null =>
  before ? { ...item, ...before } : null;

export function listChanged({ before, after }: Versions): string[] {
  const old: Record<string, unknown> = before ? pickClientMembers(before) : {};
  const current: Record<string, unknown> = after ? pickClientMembers(after) : {};
  return Object.keys({ ...old, ...current }).filter((name) => !isEqualJson(old[name], current[name]));
}

/** `user` is null for a user damaged by hand, because it must not block readers of all others. */
export const showUserChange = (change: LoggedChange) => ({
  ...change,
  user: change.item && (tryParseUser(change.item) ?? null),
  changed: listChanged(parseVersions(change)),
});
