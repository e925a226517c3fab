import { deleteItems, distinctKeys, split } from '../../dynamodb/batches.ts';
import { TableName } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import type { Item, Key } from '../../dynamodb/keys.ts';
import { type TransactItem, transact } from '../../dynamodb/transactions.ts';
import { environment } from '../../environment.ts';
import { readUser, type User } from '../../users/schema.ts';
import { searchKey } from './keys.ts';
import { listPlaces, listPossiblePlaces, type Searchable } from './places.ts';

/** An item of the index: what a list shows of a user, under one of the texts that the user is found by. */
export type Entry = Item & { pk: string; sk: string; version: number };

/** Times are numbers, so that a page of 20 matches fits into 4 KB, which is half a read unit. */
export function createEntries(user: User): Entry[] {
  const { id, name, email, fields, version } = user;
  const times = { createdAt: Date.parse(user.createdAt), updatedAt: Date.parse(user.updatedAt) };
  return listPlaces(user).map(({ prefix, text }) => ({
    ...searchKey(prefix, text, id),
    name,
    email,
    ...(fields ? { fields } : {}),
    version,
    ...times,
  }));
}

/** The keys of the entries. */
export const listKeys = (user: Searchable & Pick<User, 'id'>): Key[] =>
  listPlaces(user).map(({ prefix, text }) => searchKey(prefix, text, user.id));

/** The keys that entries of some fields, by default of all, may have under any declaration. */
export const listPossibleKeys = (user: Searchable & Pick<User, 'id'>, names?: string[]): Key[] =>
  listPossiblePlaces(user, names).map(({ prefix, text }) => searchKey(prefix, text, user.id));

/** Late records of the stream may still write entries of older versions: a marker lives longer than the stream keeps records. */
const MARKER_RETENTION_SECONDS = 48 * 3600;

/** Stands for an entry that was removed, so that no older version brings it back. */
export const createDeletionMarker = ({ pk, sk }: Pick<Entry, 'pk' | 'sk'>, version: number): Entry => ({
  pk,
  sk,
  version,
  expiresAt: Math.floor(environment.now() / 1000) + MARKER_RETENTION_SECONDS,
});

/** The stored item of a user before and after a write; undefined where there is none. */
type UserWrite = { before: Item | undefined; after: Item | undefined };

/**
 * Brings the entries of a user to what a write made of the user. For each key the highest version wins, so that records
 * of the stream may come in any order, late, several times and to several consumers at once.
 */
export async function updateEntries({ before, after }: UserWrite): Promise<void> {
  const [oldUser, user] = [before, after].map((item) => (item === undefined ? undefined : readUser(item)));
  const version = user?.version ?? (oldUser?.version ?? 0) + 1;
  const entries = user ? createEntries(user) : [];
  const isKept = ({ pk, sk }: Entry) => entries.some((entry) => entry.pk === pk && entry.sk === sk);
  const removed = oldUser ? createEntries(oldUser).filter((entry) => !isKept(entry)) : [];
  await Promise.all([...entries, ...removed.map((entry) => createDeletionMarker(entry, version))].map(putItemIfNewer));
}

/** Deletes the entries of a user before and after a write, and their markers: they say what the user was called. */
export async function deleteEntries({ before, after }: UserWrite): Promise<void> {
  const users = [before, after].flatMap((item) => (item ? (readUser(item) ?? []) : []));
  await deleteItems(distinctKeys(users.flatMap(listKeys)));
}

/** A lost answer does no harm: what is stored then has this version, or a higher one. */
const putItemIfNewer = (Item: Entry): Promise<boolean> =>
  putItemIf({
    Item,
    ConditionExpression: 'attribute_not_exists(pk) OR version < :version',
    ExpressionAttributeValues: { ':version': Item.version },
  });

/** DynamoDB takes so many items in a transaction. */
const MAX_TRANSACTION_ITEMS = 100;

/** Writes the entries of users who were just created, in a table whose stream is off, so that on-change does not. */
export async function putNewEntries(users: User[]): Promise<void> {
  for (const batch of split(users.flatMap(createEntries), MAX_TRANSACTION_ITEMS))
    await transact(nameItems(batch.map((Item) => ({ TableName, Item }))));
}

/** Puts the entries of users who may have been changed since: an entry of the same or a later version stays, but no marker does. */
export async function putMissingEntries(users: User[]): Promise<void> {
  for (const batch of split(users.flatMap(createEntries), MAX_TRANSACTION_ITEMS)) {
    let left = batch;
    while (left.length > 0) {
      const { failures } = await transact(nameItems(left.map(putIfMissing)));
      left = failures ? left.filter(({ sk }) => !failures[sk]) : [];
    }
  }
}

type Put = NonNullable<TransactItem['Put']> & { Item: Entry };

/** The sort keys of several users' entries differ, as they contain text and id. */
const nameItems = (puts: Put[]): Record<string, TransactItem> =>
  Object.fromEntries(puts.map((Put) => [Put.Item.sk, { Put }]));

const putIfMissing = (Item: Entry): Put => ({
  TableName,
  Item,
  ConditionExpression: 'attribute_not_exists(pk) OR attribute_not_exists(#name) OR version < :version',
  ExpressionAttributeNames: { '#name': 'name' },
  ExpressionAttributeValues: { ':version': Item.version },
});
