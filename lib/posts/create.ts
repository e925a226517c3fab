import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod/mini';
import type { Caller } from '../auth/caller.ts';
import { TableName } from '../dynamodb/client.ts';
import { formatPostId, isUserId, type Key, newPostKey, userKey } from '../dynamodb/keys.ts';
import { type TransactItem, transact } from '../dynamodb/transactions.ts';
import { timestamp } from '../environment.ts';
import { notFound } from '../errors.ts';
import { createIdempotencyRecord } from '../idempotency.ts';
import { createIdempotencyKey } from '../idempotency-key.ts';
import type { createPostInput, Post } from './schema.ts';

/** Throws NOT_FOUND for an unknown author, IDEMPOTENCY_KEY_REUSED. A repetition with the same key returns the first answer. */
export async function createPost(input: z.infer<typeof createPostInput>, caller: Caller): Promise<Post> {
  const { authorId, title, idempotencyKey } = input;
  if (!isUserId(authorId)) throw notFound('User');
  const publishedAt = input.publishedAt?.toISOString() ?? null;
  const key = idempotencyKey ? createIdempotencyKey('idempotencyKey', idempotencyKey, caller) : undefined;
  const record = key && createIdempotencyRecord('createPost', { authorId, title, publishedAt }, key);
  const Key = newPostKey(authorId, uuidv7());
  const post: Post = { id: formatPostId(Key), authorId, title, publishedAt, version: 1 };
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

export const requireAuthor = (authorId: string): TransactItem => ({
  ConditionCheck: { TableName, Key: userKey(authorId), ConditionExpression: 'attribute_exists(pk)' },
});

export const putNewPost = (
  Key: Key,
  { title, publishedAt, version }: Post,
  createdAt: string,
  updatedAt = createdAt,
): TransactItem => ({
  Put: {
    TableName,
    Item: { ...Key, title, publishedAt, version, createdAt, updatedAt },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
});
