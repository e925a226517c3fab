import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { deleteItemIf, putItemIf } from '../dynamodb/conditional.ts';
import { newPostKey, parseUserId, purgeKey, userKey } from '../dynamodb/keys.ts';
import { transact } from '../dynamodb/transact.ts';
import type { Reaction } from '../on-change/batch.ts';
import type { StreamRecord } from '../on-change/stream-record.ts';
import { sizes } from '../sizes.ts';

/** The deletes of one author are one request at a time; these are for different authors, and so partitions. */
const MAX_PARALLEL_PURGES = 5;

/** Deletes the posts of users who were deleted. */
export const purgeDeletedAuthors: Reaction = (batch) =>
  batch.runEach((record) => {
    const purge = findPurge(record);
    return purge && purgePosts(purge);
  }, MAX_PARALLEL_PURGES);

/** Returns undefined for records that ask for no purge, which are all but those of deleted users and of purge records. */
function findPurge({ key, kind, entity, after }: StreamRecord): Purge | undefined {
  if (entity?.type === 'user') return kind === 'DELETED' ? { authorId: entity.id, part: 0 } : undefined;
  if (!key.pk.startsWith('USER#')) return undefined;
  const authorId = parseUserId(key.pk);
  return key.sk === purgeKey(authorId).sk && typeof after?.part === 'number'
    ? { authorId, part: after.part }
    : undefined;
}

/** This part is to be deleted next. Part 0 follows from the deletion of the user itself. */
export type Purge = { authorId: string; part: number };

/**
 * Deletes the posts of a deleted user in parts of at most 99; no new ones can appear, since createPost checks that the
 * author exists. When more are left, a purge record names the next part. Writing it is an event of the table's stream,
 * which brings it back to `on-change`, so that the events of others pass in between and a crash loses nothing.
 * Safe to repeat: a repeated part finds that the record has advanced, or is gone.
 */
export async function purgePosts({ authorId, part }: Purge): Promise<void> {
  const { hasMore } = await deleteFirstPosts(authorId);
  if (hasMore) await requestNextPart({ authorId, part });
  else if (part > 0) await endPurge({ authorId, part });
}

/** `isAuthorThere` is true if a user who came back kept the posts. */
export type DeletedPosts = { deleted: number; hasMore: boolean; isAuthorThere: boolean };

/**
 * Deletes up to 99 posts of a deleted user. The stream may deliver a deletion again long after an import or a restore brought the
 * user back, so the transaction requires that there is no user.
 */
export async function deleteFirstPosts(authorId: string): Promise<DeletedPosts> {
  const { pk, sk } = newPostKey(authorId, '');
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
    ExpressionAttributeValues: { ':pk': pk, ':post': sk },
    ProjectionExpression: 'pk, sk',
    ConsistentRead: true,
    Limit: sizes.purgedPosts,
  };
  const { Items = [], LastEvaluatedKey } = await table.send(new QueryCommand(query));
  if (Items.length === 0) return { deleted: 0, hasMore: false, isAuthorThere: false };
  const posts = Items.map((Key, at) => [`post${at}`, { Delete: { TableName, Key } }]);
  const { failures } = await transact<string>({
    author: { ConditionCheck: { TableName, Key: userKey(authorId), ConditionExpression: 'attribute_not_exists(pk)' } },
    ...Object.fromEntries(posts),
  });
  if (failures) return { deleted: 0, hasMore: false, isAuthorThere: true };
  return { deleted: Items.length, hasMore: LastEvaluatedKey !== undefined, isAuthorThere: false };
}

/** The purge of another deletion may have begun meanwhile: its record is another part. */
async function endPurge({ authorId, part }: Purge): Promise<void> {
  await deleteItemIf({
    Key: purgeKey(authorId),
    ConditionExpression: 'part = :part',
    ExpressionAttributeValues: { ':part': part },
  });
}

async function requestNextPart({ authorId, part }: Purge): Promise<void> {
  const Item = { ...purgeKey(authorId), part: part + 1 };
  const condition =
    part === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : { ConditionExpression: 'part = :part', ExpressionAttributeValues: { ':part': part } };
  // The condition fails if this part was repeated and the record has gone on.
  await putItemIf({ Item, ...condition });
}
