import type { Actor } from '../../auth/caller.ts';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName } from '../../dynamodb/client.ts';
import {
  deletionKey,
  formatKey,
  formerDeletionKey,
  type Item,
  type Key,
  parseUserId,
  requirePostKey,
  userKey,
} from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { type TransactItem, transact } from '../../dynamodb/transact.ts';
import { environment, timestamp } from '../../environment.ts';
import type { Batch } from '../../on-change/batch.ts';
import type { StreamRecord } from '../../on-change/stream-record.ts';
import type { Post } from '../../posts/post.ts';
import { type DeletionRecord, parseDeletion, type ReturningUser } from '../../users/deletion-record.ts';
import { tryParseUser } from '../../users/user.ts';
import { createFormerRecords } from '../erasure/former-records.ts';
import { readErasures } from '../erasure/record.ts';

// users/deletion-record.ts has the deletion records of users.

/** Deletion records outlive the 24 h of stream records, because an operator may resend dead letters. */
const RETENTION_SECONDS = 48 * 3600;

/** Contains the current time: create it again for each attempt of the transaction. */
export const postDeletionRecord = (post: Post, by: Actor): TransactItem =>
  recordItem(deletionKey(requirePostKey(post.id)), { by, at: timestamp(), version: post.version + 1 });

/** Copies the deletion record of a returning user, because `on-change` may not have read it yet. */
export const formerDeletion = ({ user, deletion }: ReturningUser): TransactItem[] =>
  deletion ? [recordItem(formerDeletionKey(userKey(user.id), deletion.version), deletion)] : [];

const recordItem = (
  key: Key,
  { by, at, version, mergedInto }: Pick<DeletionRecord, 'by' | 'at' | 'version' | 'mergedInto'>,
): TransactItem => ({
  Put: {
    TableName,
    Item: { ...key, by, at, version, mergedInto, expiresAt: Math.ceil(environment.now() / 1000) + RETENTION_SECONDS },
  },
});

export type FindDeletion = (record: StreamRecord) => DeletionRecord | undefined;

const deletionsByBatch = new WeakMap<Batch, Promise<FindDeletion>>();

/** Reads the deletion records of a batch once for all reactions. Purged posts and deletions by hand have none. */
export function readDeletions(batch: Batch): Promise<FindDeletion> {
  const deletions = deletionsByBatch.get(batch) ?? readRecords(batch.records);
  deletionsByBatch.set(batch, deletions);
  return deletions;
}

async function readRecords(records: StreamRecord[]): Promise<FindDeletion> {
  const deleted = records.filter(({ kind, entity }) => kind === 'DELETED' && entity);
  const last = await readByKey(deleted.map(({ key }) => deletionKey(key)));
  const findLast = ({ key }: StreamRecord) => last.get(formatKey(deletionKey(key)));
  // A user who was deleted again has a newer deletion record. Moved posts have no former record.
  const overtaken = deleted.filter(
    (record) => record.entity?.type === 'user' && (findLast(record)?.version ?? 0) > record.version,
  );
  const former = await readByKey(overtaken.map(({ key, version }) => formerDeletionKey(key, version)));
  return (record) => {
    const deletion = findLast(record);
    if (deletion?.version === record.version) return deletion;
    if (record.entity?.type !== 'user') return undefined;
    return former.get(formatKey(formerDeletionKey(record.key, record.version)));
  };
}

async function readByKey(keys: Key[]): Promise<Map<string, DeletionRecord>> {
  const items: (Item & Key)[] = await getItems(keys, { ConsistentRead: true });
  return new Map(items.map((item) => [formatKey(item), parseDeletion(item)]));
}

export async function readDeletion(key: Key): Promise<DeletionRecord | undefined> {
  const [item] = await getItems([deletionKey(key)], { ConsistentRead: true });
  return item && parseDeletion(item);
}

/**
 * Keeps the version, so that the user cannot return with a lower one. Keeps an erasure of this deletion: a late stream
 * record may follow its request, and even its completion. Writes the former records that the deletion lacks.
 */
export async function recordDeletionByHand({ key, before, version, streamedAt }: StreamRecord): Promise<void> {
  const userId = parseUserId(key.pk);
  const user = before && tryParseUser(before);
  let erasure: DeletionRecord['erasure'];
  await retryOnConflict(async () => {
    const isKept = erasure === 'pending' || (erasure === 'completed' && (await isErasedSince(userId, streamedAt)));
    const former = user && !isKept ? createFormerRecords(user) : [];
    const { failures } = await transact({
      deletion: {
        Update: {
          TableName,
          Key: deletionKey(userKey(userId)),
          UpdateExpression: `SET version = :version, #at = :now REMOVE #by, mergedInto, mergedVersion${isKept ? '' : ', erasure, expiresAt'}`,
          ConditionExpression: `(attribute_not_exists(version) OR version < :version) AND ${
            erasure ? 'erasure = :erasure' : 'attribute_not_exists(erasure)'
          }`,
          ExpressionAttributeNames: { '#at': 'at', '#by': 'by' },
          ExpressionAttributeValues: {
            ':version': version,
            ':now': timestamp(),
            ...(erasure ? { ':erasure': erasure } : {}),
          },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
      ...Object.fromEntries(former.map((item, at) => [`former${at}`, item])),
    });
    if (!failures) return undefined;
    const stored = parseDeletion(failures.deletion?.item ?? {});
    if (stored.version >= version) return undefined;
    erasure = stored.erasure;
    return 'retry';
  });
}

/** False if the erasure was of an earlier deletion, after which someone put the user back by hand. */
async function isErasedSince(userId: string, time: number): Promise<boolean> {
  const { completedAt } = (await readErasures([userId])).get(userId) ?? {};
  return completedAt != null && Date.parse(completedAt) > time;
}
