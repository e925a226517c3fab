import * as z from 'zod/mini';
import { idempotencyKey, idInput, plainText } from '../input/schemas.ts';

// Separate from post.ts: functions that only read posts load no zod.

const title = plainText(256);

/** The scalar DateTime has checked the year. */
const publishedAt = z.nullish(z.date());

export const createPostInput = z.strictObject({
  authorId: idInput,
  title,
  publishedAt,
  idempotencyKey: z.nullish(idempotencyKey),
});
export const updatePostInput = z.strictObject({
  id: idInput,
  title: z.optional(title),
  authorId: z.optional(idInput),
});
export const publishPostInput = z.strictObject({ id: idInput, publishedAt });
export const deletePostInput = z.strictObject({ id: idInput });
