import * as z from 'zod/mini';
import { idempotencyKey, idInput, plainText } from '../input/schemas.ts';
import { hasFourDigitYear } from './post.ts';

// Separate from post.ts: functions that only read posts load no zod.

const title = plainText(256);

/** Rejects times with other years in UTC than 0000–9999. */
const publishedAt = z.nullish(
  z
    .date()
    .check(
      z.refine((time) => hasFourDigitYear(time.toISOString()), 'must be a time whose year in UTC has four digits'),
    ),
);

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
