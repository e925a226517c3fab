import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batches.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import { formatKey, type Item, isSearchKey, type Key, parseSearchKey, userKey } from '../../dynamodb/keys.ts';
import { findUser } from '../../users/get.ts';
import { readUser, type User } from '../../users/schema.ts';
import { readDeletion } from '../change-log/deletions.ts';
import { createDeletionMarker, createEntries, type Entry } from './entries.ts';

/** A key of the index under which something else stands than the user's item says. */
export type EntryMismatch = { key: Key; userId: string };

const isUserItem = ({ sk }: Key) => sk === userKey('').sk;
const isEntry = (item: Item & Key) => isSearchKey(item) && item.name !== undefined;
export const isVerifiable = (item: Item & Key): boolean => isUserItem(item) || isEntry(item);

/** Reads the users among items. */
export const readUsers = (items: (Item & Key)[]): User[] =>
  items.filter(isUserItem).flatMap((item) => readUser(item) ?? []);

/** Compares items of a scan with those that belong to them: users with their entries, entries with their users. */
export const findMismatches = async (items: (Item & Key)[], reading = {}): Promise<EntryMismatch[]> => [
  ...(await findMissingEntries(readUsers(items), reading)),
  ...(await findStaleEntries(items.filter(isEntry), reading)),
];

/** Compares users with their entries. */
export async function findMissingEntries(users: User[], reading = {}): Promise<EntryMismatch[]> {
  const expected = users.flatMap((user) => createEntries(user).map((entry) => ({ userId: user.id, entry })));
  const found = index(
    await getItems(
      expected.map(({ entry }) => entry),
      reading,
    ),
  );
  return expected
    .filter(({ entry }) => !isDeepStrictEqual(found.get(formatKey(entry)), entry))
    .map(({ userId, entry: { pk, sk } }) => ({ userId, key: { pk, sk } }));
}

/** Compares entries with their users. */
async function findStaleEntries(entries: (Item & Key)[], reading: object): Promise<EntryMismatch[]> {
  const named = entries.map((entry) => ({ entry, userId: parseSearchKey(entry.sk).id }));
  const items = await getItems(
    named.map(({ userId }) => userKey(userId)),
    reading,
  );
  const users = new Map(readUsers(items).map((user) => [user.id, user]));
  return named
    .filter(({ entry, userId }) => !isDeepStrictEqual(findEntry(users.get(userId), entry), entry))
    .map(({ userId, entry: { pk, sk } }) => ({ userId, key: { pk, sk } }));
}

/** Compares what stands under keys with the users whose entries these are, of those who exist. */
export async function findMismatchesAt(keys: EntryMismatch[], existing: User[]): Promise<EntryMismatch[]> {
  const unique = [...new Map(keys.map((each) => [formatKey(each.key), each])).values()];
  const users = new Map(existing.map((user) => [user.id, user]));
  const found = index(await getItems(unique.map(({ key }) => key)));
  return unique.filter(({ key, userId }) => {
    const wanted = findEntry(users.get(userId), key);
    const entry = found.get(formatKey(key));
    return wanted ? !isDeepStrictEqual(entry, wanted) : entry?.name !== undefined;
  });
}

const index = (items: (Item & Key)[]) => new Map(items.map((item) => [formatKey(item), item]));

/** Returns what belongs under a key; undefined for nothing. */
const findEntry = (user: User | undefined, { pk, sk }: Key): Entry | undefined =>
  user && createEntries(user).find((entry) => entry.pk === pk && entry.sk === sk);

/** The version of what marks the entries of a user who is gone for good: it is above all that a late record can have. */
const LAST_VERSION = Number.MAX_SAFE_INTEGER;

/**
 * Writes what belongs under a key, unless that has changed since it was read. Returns whether it did. Users who were
 * changed or deleted after `settledAt`, in ms, are left to on-change.
 */
export async function repairEntry(
  { key, userId }: EntryMismatch,
  settledAt = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  // The entry first: an entry is never of a later version than its user.
  const { Item: stored } = await table.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
  const user = await findUser(userId);
  const changedAt = user?.updatedAt ?? (await readDeletion(userKey(userId)))?.at;
  if (changedAt && Date.parse(changedAt) > settledAt) return false;
  const wanted = findEntry(user, key);
  if (wanted ? isDeepStrictEqual(stored, wanted) : stored?.name === undefined) return false;
  const Item = wanted ?? createDeletionMarker({ ...key }, user?.version ?? LAST_VERSION);
  const condition =
    stored?.version === undefined
      ? { ConditionExpression: 'attribute_not_exists(version)' }
      : { ConditionExpression: 'version = :read', ExpressionAttributeValues: { ':read': stored.version } };
  return putItemIf({ Item, ...condition });
}
