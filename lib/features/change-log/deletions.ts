import type { Actor } from '../../auth/caller.ts';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName } from '../../dynamodb/client.ts';
import { formatKey, type Item, type Key, userKey } from '../../dynamodb/keys.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment, timestamp } from '../../environment.ts';
import type { Deletion as UserDeletion } from '../../users/delete.ts';
import { deletionKey } from './keys.ts';

/** Says what a deleted item cannot: who deleted it and when. A deletion is a write, so it adds 1 to the version. */
export type Deletion = { by: Actor; at: string; version: number };

/** The stream, which keeps records for a day, has delivered the deletion by then, also to an operator who redrives it. */
const RETENTION_SECONDS = 48 * 3600;

/** The transaction that deletes a user puts the record. The deletion counts as a version. */
export const deletionRecord = ({ user, by }: UserDeletion): TransactItem[] => [
  putDeletion(userKey(user.id), { by, version: user.version + 1 }),
];

/** The transaction that deletes an item puts the record. Each attempt needs a new one, as it holds the time. */
export const putDeletion = (key: Key, { by, version }: Pick<Deletion, 'by' | 'version'>): TransactItem => ({
  Put: {
    TableName,
    Item: {
      ...deletionKey(key),
      ...{ by, at: timestamp(), version },
      expiresAt: Math.ceil(environment.now() / 1000) + RETENTION_SECONDS,
    },
  },
});

/** Finds the record of a deletion that has made this version of the item; undefined if there is none. */
export type FindDeletion = (key: Key, version: number) => Deletion | undefined;

/** Reads the records of deleted items. The service itself, and an operator by hand, delete without a record. */
export async function readDeletions(keys: Key[]): Promise<FindDeletion> {
  if (keys.length === 0) return () => undefined;
  const items = await getItems(keys.map(deletionKey), { ConsistentRead: true });
  const deletions = new Map(items.map((item) => [formatKey(item), parseDeletion(item)]));
  return (key, version) => {
    const deletion = deletions.get(formatKey(deletionKey(key)));
    // An import can bring an id back, and another deletion can have followed since.
    return deletion?.version === version ? deletion : undefined;
  };
}

/** Reads the record of the last deletion of an item. */
export async function readDeletion(key: Key): Promise<Deletion | undefined> {
  const [item] = await getItems([deletionKey(key)], { ConsistentRead: true });
  return item && parseDeletion(item);
}

/** Parses without zod, as all of `on-change` does. */
const parseDeletion = ({ by, at, version }: Item): Deletion | undefined =>
  typeof by === 'string' && typeof at === 'string' && typeof version === 'number' ? { by, at, version } : undefined;
