import * as z from 'zod';
import { idempotencyKey } from '../idempotency.ts';
import { postIdOf, userIdOf } from '../dynamodb/keys.ts';
import { plainText } from '../users/schema.ts';

/** Times are ISO 8601 in UTC; an unpublished post has no `publishedAt`. */
export type Post = { id: string; authorId: string; title: string; publishedAt: string | null };

const stored = z.object({
  pk: z.string(),
  sk: z.string(),
  title: z.string(),
  publishedAt: z.string().nullish(),
});

export function parsePost(item: unknown): Post {
  const { pk, sk, title, publishedAt = null } = stored.parse(item);
  return { id: postIdOf({ pk, sk }), authorId: userIdOf(pk), title, publishedAt };
}

const title = plainText(256);
const publishedAt = z.date().nullish();

export const createPostInput = z.strictObject({
  authorId: z.string(),
  title,
  publishedAt,
  idempotencyKey: idempotencyKey.nullish(),
});
export const updatePostInput = z.strictObject({ id: z.string(), title: title.optional() });
export const publishPostInput = z.strictObject({ id: z.string(), publishedAt });
export const deletePostInput = z.strictObject({ id: z.string() });
