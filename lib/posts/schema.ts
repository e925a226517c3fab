import * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { formatPostId, parseUserId } from '../dynamodb/keys.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import { plainText } from '../input/plain-text.ts';
import { idInput } from '../input/uuidv7.ts';
import { parsePublishedAt, publishedAtInput } from './published-at.ts';

/** Times are ISO 8601 in UTC; `publishedAt` is null until the post is published. `version` counts the writes, from 1. */
export type Post = {
  id: string;
  authorId: string;
  title: string;
  publishedAt: string | null;
  version: number;
  /** Who made this version. */
  by?: Actor | undefined;
};

/** Posts are written with who does it; what was stored before writes named it has no `by`. */
export type NewPostVersion = Post & { by: Actor };

/** Stored items may hold more attributes: those that a later version adds. */
const stored = z.object({
  pk: z.string(),
  sk: z.string(),
  title: z.string(),
  publishedAt: z.optional(z.unknown()),
  version: z._default(z.number(), 1),
  by: z.optional(z.string()),
});

export function parsePost(item: unknown): Post {
  const { pk, sk, title, publishedAt, version, by } = stored.parse(item);
  const id = formatPostId({ pk, sk });
  return { id, authorId: parseUserId(pk), title, publishedAt: parsePublishedAt(publishedAt, id), version, by };
}

const title = plainText(256);

export const createPostInput = z.strictObject({
  authorId: idInput,
  title,
  publishedAt: publishedAtInput,
  idempotencyKey: z.nullish(idempotencyKey),
});
export const updatePostInput = z.strictObject({ id: idInput, title: z.optional(title) });
export const publishPostInput = z.strictObject({ id: idInput, publishedAt: publishedAtInput });
export const deletePostInput = z.strictObject({ id: idInput });
