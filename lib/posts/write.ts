import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { TableName, table } from '../dynamodb/client.ts';
import { sendUpdate } from '../dynamodb/conditional.ts';
import {
  formatPostId,
  isUserId,
  type Key,
  newPostKey,
  parseUserId,
  postKey,
  requirePostKey,
  userKey,
} from '../dynamodb/keys.ts';
import { retryOnConflict } from '../dynamodb/requests.ts';
import { type TransactItem, type TransactItems, transact, tryTransact } from '../dynamodb/transact.ts';
import { environment, timestamp } from '../environment.ts';
import { concurrentChanges, invalidInput, notFound, type ServiceError, unavailable } from '../errors.ts';
import { postDeletionRecord } from '../features/change-log/deletions.ts';
import { createIdempotencyRecord, type IdempotencyKey } from '../idempotency.ts';
import { toUtc } from '../input/time.ts';
import { split } from '../parallel.ts';
import { findUser } from '../users/read.ts';
import type { createPostInput, deletePostInput, publishPostInput, updatePostInput } from './input.ts';
import { type NewPostVersion, type Post, parsePost } from './post.ts';
import { findPost, getPost } from './read.ts';

/**
 * Creates a post. A repeated idempotency key returns the post of the first request. Throws NOT_FOUND for an unknown
 * author, and IDEMPOTENCY_KEY_REUSED.
 */
export async function createPost(
  input: z.infer<typeof createPostInput>,
  by: Actor,
  key?: IdempotencyKey,
): Promise<Post> {
  const { authorId, title } = input;
  if (!isUserId(authorId)) throw notFound('User');
  const publishedAt = input.publishedAt?.toISOString() ?? null;
  const record = key && createIdempotencyRecord('createPost', { authorId, title, publishedAt }, key);
  const Key = newPostKey(authorId, uuidv7());
  const post: NewPostVersion = { id: formatPostId(Key), authorId, title, publishedAt, version: 1, by };
  const createdAt = timestamp();
  const { failures, outcomeUnknown } = await transact({
    author: authorCheck(authorId),
    post: newPostItem(Key, post, createdAt),
    idempotency: record?.item({ id: post.id, createdAt }),
  });
  if (!failures) return post;
  if (record && failures.idempotency) return { ...post, id: record.replay(failures.idempotency).id };
  throw missing('User', outcomeUnknown);
}

/** A lost request may still succeed: a deleted author may return before it arrives. */
const missing = (what: 'User' | 'Post', outcomeUnknown = false): ServiceError =>
  outcomeUnknown ? unavailable() : notFound(what);

export type StoredPost = NewPostVersion & { createdAt: string; updatedAt: string };

/** Posts per transaction, which also checks the author. DynamoDB's limit is 100 items. */
const MAX_POSTS = 99;

/** Skips existing posts. Throws NOT_FOUND for an unknown author. */
export async function createPosts(authorId: string, posts: StoredPost[]): Promise<void> {
  for (const batch of split(posts, MAX_POSTS)) {
    let left = batch;
    while (left.length > 0) {
      const { failures, outcomeUnknown } = await transact<string>({
        author: authorCheck(authorId),
        ...listItems(left),
      });
      if (failures?.author) throw missing('User', outcomeUnknown);
      left = failures ? left.filter(({ id }) => !failures[id]) : [];
    }
  }
}

const listItems = (posts: StoredPost[]) =>
  Object.fromEntries(
    posts.map((post) => [post.id, newPostItem(requirePostKey(post.id), post, post.createdAt, post.updatedAt)]),
  );

const authorCheck = (authorId: string): TransactItem => ({
  ConditionCheck: { TableName, Key: userKey(authorId), ConditionExpression: 'attribute_exists(pk)' },
});

export const newPostItem = (
  Key: Key,
  { title, publishedAt, version, by }: NewPostVersion,
  createdAt: string,
  updatedAt = createdAt,
): TransactItem => ({
  Put: {
    TableName,
    Item: { ...Key, title, publishedAt, version, createdAt, updatedAt, by },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});

/** A new author moves the post and changes its id. Throws NOT_FOUND for an unknown post or author. */
export function updatePost({ id, title, authorId }: z.infer<typeof updatePostInput>, by: Actor): Promise<Post> {
  const Key = postKey(id);
  if (!Key) throw notFound('Post');
  if (authorId !== undefined && authorId !== parseUserId(Key.pk)) return movePost({ Key, title, authorId }, by);
  return updateStoredPost(id, by, () => (title === undefined ? {} : { title }));
}

type Move = { Key: Key; title: string | undefined; authorId: string };

/**
 * Moves a post to another author. Checks both users. The new id keeps the post's own part, by which posts are sorted.
 * The change log shows a deletion for the former author and a creation for the new one. Safe to repeat.
 */
async function movePost({ Key, title, authorId }: Move, by: Actor): Promise<Post> {
  if (!isUserId(authorId)) throw notFound('User');
  const movedKey = { ...Key, pk: userKey(authorId).pk };
  const id = formatPostId(movedKey);
  return retryOnConflict(async () => {
    const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    if (!Item) {
      const [moved, author] = await Promise.all([findPost(id), findUser(authorId)]);
      if (moved && author) return tryUpdate(moved, by, title === undefined ? {} : { title });
      // A concurrent request may have moved the post back between the two reads.
      if (!moved && (await findPost(formatPostId(Key)))) return 'retry';
      throw notFound('Post');
    }
    const post = parsePost(Item);
    const moved = { ...post, id, authorId, title: title ?? post.title, version: post.version + 1, by };
    const createdAt = toUtc(Item.createdAt) ?? timestamp();
    const result = await tryTransact<string>({
      ...listDeletionItems(post, by),
      moved: newPostItem(movedKey, moved, createdAt, timestamp()),
      formerAuthor: authorCheck(post.authorId),
      nextAuthor: authorCheck(authorId),
    });
    if (typeof result === 'string') return result;
    const { failures, outcomeUnknown } = result;
    if (!failures) return moved;
    if (failures.formerAuthor) throw missing('Post', outcomeUnknown);
    if (failures.nextAuthor) throw missing('User', outcomeUnknown);
    // The new id exists: an import has restored the post under its former id after the move.
    if (failures.moved && !failures.post) throw invalidInput(['authorId'], 'already has this post');
    return 'retry';
  }, concurrentChanges);
}

/** A post due within this time counts as published. A host with a slow clock then ignores repeated requests. */
const MAX_CLOCK_SKEW_MS = 5_000;

/**
 * Publishes or schedules a draft, or changes the time of a scheduled post. Returns a published post unchanged. Throws
 * NOT_FOUND.
 */
export const publishPost = ({ id, publishedAt }: z.infer<typeof publishPostInput>, by: Actor): Promise<Post> =>
  updateStoredPost(id, by, (post) => {
    if (post.publishedAt && Date.parse(post.publishedAt) <= environment.now() + MAX_CLOCK_SKEW_MS) return {};
    return { publishedAt: publishedAt?.toISOString() ?? timestamp() };
  });

type Changes = { title?: string; publishedAt?: string };

function updateStoredPost(id: string, by: Actor, findChanges: (post: Post) => Changes): Promise<Post> {
  return retryOnConflict(async () => {
    const post = await getPost(id);
    return tryUpdate(post, by, findChanges(post));
  }, concurrentChanges);
}

/** Writes nothing if all values are equal. */
async function tryUpdate(post: Post, by: Actor, changes: Changes): Promise<Post | 'retry'> {
  const next = { ...post, ...changes, version: post.version + 1, by };
  if (next.title === post.title && next.publishedAt === post.publishedAt) return post;
  const result = await sendUpdate(updateIfUnchanged(post, next));
  return result === 'retry' || result.failure ? 'retry' : next;
}

const updateIfUnchanged = (post: Post, { title, publishedAt, version, by }: NewPostVersion) => ({
  Key: requirePostKey(post.id),
  UpdateExpression:
    'SET title = :title, publishedAt = :publishedAt, updatedAt = :now, version = :version, #by = :by' as const,
  ConditionExpression: 'version = :read',
  ExpressionAttributeNames: { '#by': 'by' },
  ExpressionAttributeValues: {
    ':title': title,
    ':publishedAt': publishedAt,
    ':now': timestamp(),
    ':version': version,
    ':by': by,
    ':read': post.version,
  },
});

export function deletePost({ id }: z.infer<typeof deletePostInput>, by: Actor): Promise<{ id: string }> {
  return retryOnConflict(async () => {
    const result = await tryTransact(listDeletionItems(await getPost(id), by));
    if (typeof result === 'string') return result;
    return result.failures ? 'retry' : { id };
  }, concurrentChanges);
}

const listDeletionItems = (post: Post, by: Actor): TransactItems<'post' | 'deletionRecord'> => ({
  post: {
    Delete: {
      TableName,
      Key: requirePostKey(post.id),
      ConditionExpression: 'version = :read',
      ExpressionAttributeValues: { ':read': post.version },
    },
  },
  deletionRecord: postDeletionRecord(post, by),
});
