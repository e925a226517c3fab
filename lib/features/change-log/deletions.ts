import type { Actor } from '../../auth/caller.ts';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName } from '../../dynamodb/client.ts';
import { formatKey, type Item, type Key, requirePostKey, userKey } from '../../dynamodb/keys.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment, timestamp } from '../../environment.ts';
import type { Batch } from '../../on-change/batch.ts';
import type { StreamRecord } from '../../on-change/stream-record.ts';
import type { PostDeletion } from '../../posts/write.ts';
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

/** The same for a post. */
export const postDeletionRecord = ({ post, by }: PostDeletion): TransactItem =>
  putDeletion(requirePostKey(post.id), { by, version: post.version + 1 });

/** Each attempt needs a new record, as it holds the time. */
const putDeletion = (key: Key, { by, version }: Pick<Deletion, 'by' | 'version'>): TransactItem => ({
  Put: {
    TableName,
    Item: {
      ...deletionKey(key),
      ...{ by, at: timestamp(), version },
      expiresAt: Math.ceil(environment.now() / 1000) + RETENTION_SECONDS,
    },
  },
});

/** Finds the record of the deletion that a stream record is of. Undefined if there is none. */
export type FindDeletion = (record: StreamRecord) => Deletion | undefined;

const read = new WeakMap<Batch, Promise<FindDeletion>>();

/** Reads the deletion records of a batch once, for all reactions. The service itself, and an operator by hand, delete without one. */
export function readDeletions(batch: Batch): Promise<FindDeletion> {
  const deletions = read.get(batch) ?? readRecords(batch.records);
  read.set(batch, deletions);
  return deletions;
}

async function readRecords(records: StreamRecord[]): Promise<FindDeletion> {
  const deleted = records.filter(({ kind, entity }) => kind === 'DELETED' && entity);
  const items = await getItems(
    deleted.map(({ key }) => deletionKey(key)),
    { ConsistentRead: true },
  );
  const deletions = new Map(items.map((item) => [formatKey(item), parseDeletion(item)]));
  return ({ key, version }) => {
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
