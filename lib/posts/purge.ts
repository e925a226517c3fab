import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { writeIf } from '../dynamodb/conditional.ts';
import { type Item, type Key, LOGGED_SORT_KEYS, parseUserId, purgeKey, userKey } from '../dynamodb/keys.ts';
import { retryOnConflict } from '../dynamodb/requests.ts';
import { transact } from '../dynamodb/transact.ts';
import { findHeir, moveToHeir, returnWaitingPosts } from '../features/merge/posts.ts';
import type { Reaction } from '../on-change/batch.ts';
import type { StreamRecord } from '../on-change/stream-record.ts';
import { sizes } from '../sizes.ts';

/** Maximum parallel purges. The posts of one author are deleted sequentially. */
const MAX_PARALLEL_PURGES = 5;

export const purgeDeletedAuthors: Reaction = (batch) =>
  batch.runEach((record) => {
    const purge = findPurge(record);
    return purge && purgePosts(purge);
  }, MAX_PARALLEL_PURGES);

function findPurge({ key, kind, entity, after }: StreamRecord): Purge | undefined {
  if (entity?.type === 'user') return kind === 'DELETED' ? { authorId: entity.id, part: 0 } : undefined;
  if (!key.pk.startsWith('USER#')) return undefined;
  const authorId = parseUserId(key.pk);
  return key.sk === purgeKey(authorId).sk && typeof after?.part === 'number'
    ? { authorId, part: after.part }
    : undefined;
}

type Purge = { authorId: string; part: number };

/**
 * Deletes one part of a deleted author's posts. New posts cannot appear, because createPost checks the author. A purge
 * record names the next part and invokes `on-change` again through the table's stream. A crash therefore loses nothing,
 * and other events are processed in between. Safe to repeat: a repeated part finds that the record has advanced or is
 * gone.
 */
export async function purgePosts({ authorId, part }: Purge): Promise<void> {
  const { hasMore } = await deleteFirstPosts(authorId);
  if (hasMore) await requestNextPart({ authorId, part });
  else if (part > 0) await endPurge({ authorId, part });
}

/** `deleted` includes moved posts. `userExists`: the user has been restored and keeps the posts. */
type DeletedPosts = { deleted: number; hasMore: boolean; userExists: boolean };

/**
 * Deletes posts, or moves them if the author was merged into another user. The transaction checks the author: the stream
 * may redeliver a deletion long after an import or restore of the user.
 */
export const deleteFirstPosts = (authorId: string): Promise<DeletedPosts> =>
  retryOnConflict(async () => {
    const query = {
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
      ExpressionAttributeValues: { ':pk': userKey(authorId).pk, ':post': LOGGED_SORT_KEYS.post },
      ConsistentRead: true,
      Limit: sizes.purgedPosts,
    };
    const { Items = [], LastEvaluatedKey } = await table.send(new QueryCommand(query));
    const posts = Items as (Item & Key)[]; // Every item has a key.
    if (posts.length === 0) return { deleted: 0, hasMore: false, userExists: false };
    if (await returnWaitingPosts(posts, authorId)) return 'retry';
    const heir = await findHeir(authorId);
    if (heir.id !== undefined) {
      const deleted = await moveToHeir(posts, heir);
      if (deleted === 'retry') return deleted;
      const hasMore = LastEvaluatedKey !== undefined || deleted < posts.length;
      return { deleted, hasMore: deleted > 0 && hasMore, userExists: deleted === 0 };
    }
    const deletes = posts.map(({ pk, sk }, at) => [`post${at}`, { Delete: { TableName, Key: { pk, sk } } }]);
    const { failures } = await transact<string>({ ...heir.checks, ...Object.fromEntries(deletes) });
    if (!failures) return { deleted: posts.length, hasMore: LastEvaluatedKey !== undefined, userExists: false };
    return failures.author ? { deleted: 0, hasMore: false, userExists: true } : 'retry';
  });

/** Deletes the purge record, unless a purge of a later deletion has replaced it. */
async function endPurge({ authorId, part }: Purge): Promise<void> {
  const condition = { ConditionExpression: 'part = :part', ExpressionAttributeValues: { ':part': part } };
  await writeIf('Delete', { Key: purgeKey(authorId), ...condition });
}

async function requestNextPart({ authorId, part }: Purge): Promise<void> {
  const Item = { ...purgeKey(authorId), part: part + 1 };
  const condition =
    part === 0
      ? { ConditionExpression: 'attribute_not_exists(part)' }
      : { ConditionExpression: 'part = :part', ExpressionAttributeValues: { ':part': part } };
  // Writes nothing if this is a repetition and the record has advanced.
  await writeIf('Put', { Item, ...condition });
}
