import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod';
import { notFound } from '../errors.ts';
import { idempotencyRecord } from '../idempotency.ts';
import { isUserId, newPostKey, postIdOf, userKey } from '../dynamodb/keys.ts';
import { TableName, transact } from '../dynamodb/table.ts';
import type { createPostInput, Post } from './schema.ts';

/** Throws `not-found` where the author is none, `key-reused`. Safe to repeat with the same idempotency key. */
export async function createPost(input: z.infer<typeof createPostInput>, caller: string): Promise<Post> {
  const { authorId, title, idempotencyKey } = input;
  if (!isUserId(authorId)) throw notFound('User');
  const publishedAt = input.publishedAt?.toISOString() ?? null;
  const request = idempotencyRecord(
    'createPost',
    { authorId, title, publishedAt },
    idempotencyKey ? { key: idempotencyKey, caller } : undefined,
  );
  const key = newPostKey(authorId, uuidv7());
  const [id, createdAt] = [postIdOf(key), new Date().toISOString()];
  const { failures } = await transact([
    { ConditionCheck: { TableName, Key: userKey(authorId), ConditionExpression: 'attribute_exists(pk)' } },
    {
      Put: {
        TableName,
        Item: { ...key, title, createdAt, updatedAt: createdAt, ...(publishedAt ? { publishedAt } : {}) },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    },
    ...request.record({ id, createdAt }),
  ]);
  const first = failures && request.first(failures[2]);
  if (failures && !first) throw notFound('User');
  return { id: first?.id ?? id, authorId, title, publishedAt };
}
