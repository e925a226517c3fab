import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { split } from '../dynamodb/batches.ts';
import { TableName } from '../dynamodb/client.ts';
import { formatPostId, isUserId, type Key, newPostKey, requirePostKey, userKey } from '../dynamodb/keys.ts';
import { type TransactItem, transact } from '../dynamodb/transactions.ts';
import { timestamp } from '../environment.ts';
import { notFound } from '../errors.ts';
import { createIdempotencyRecord } from '../idempotency.ts';
import type { IdempotencyKey } from '../idempotency-key.ts';
import type { createPostInput } from './inputs.ts';
import type { NewPostVersion, Post } from './schema.ts';

/** Throws NOT_FOUND for an unknown author, IDEMPOTENCY_KEY_REUSED. A repetition with the same key returns the first answer. */
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
  const { failures } = await transact({
    author: requireAuthor(authorId),
    post: putNewPost(Key, post, createdAt),
    idempotency: record?.item({ id: post.id, createdAt }),
  });
  if (!failures) return post;
  if (record && failures.idempotency) return { ...post, id: record.replay(failures.idempotency).id };
  throw notFound('User');
}

export type StoredPost = NewPostVersion & { createdAt: string; updatedAt: string };

/** One item of a transaction is the check of the author. */
const MAX_POSTS = 99;

/** Writes posts of one author under their ids; those that exist stay as they are. Throws NOT_FOUND for an unknown author. */
export async function createPosts(authorId: string, posts: StoredPost[]): Promise<void> {
  for (const batch of split(posts, MAX_POSTS)) {
    let left = batch;
    while (left.length > 0) {
      const { failures } = await transact<string>({ [AUTHOR]: requireAuthor(authorId), ...listItems(left) });
      if (failures?.[AUTHOR]) throw notFound('User');
      left = failures ? left.filter(({ id }) => !failures[id]) : [];
    }
  }
}

const AUTHOR = 'author';

const listItems = (posts: StoredPost[]) =>
  Object.fromEntries(
    posts.map((post) => [post.id, putNewPost(requirePostKey(post.id), post, post.createdAt, post.updatedAt)]),
  );

const requireAuthor = (authorId: string): TransactItem => ({
  ConditionCheck: { TableName, Key: userKey(authorId), ConditionExpression: 'attribute_exists(pk)' },
});

export const putNewPost = (
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
