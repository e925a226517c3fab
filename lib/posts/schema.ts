import type { Actor } from '../auth/caller.ts';
import { formatPostId, type Item, parseUserId } from '../dynamodb/keys.ts';
import { parsePublishedAt } from './published-at.ts';

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

/** Throws an error for an item that was damaged by hand. Stored items may hold more attributes: those that a later version adds. */
export function parsePost({ pk, sk, title, publishedAt, version = 1, by }: Item): Post {
  if (typeof pk !== 'string' || typeof sk !== 'string' || typeof title !== 'string' || typeof version !== 'number')
    throw new Error(`The item ${pk} ${sk} is no post`);
  const id = formatPostId({ pk, sk });
  return {
    ...{ id, authorId: parseUserId(pk), title, publishedAt: parsePublishedAt(publishedAt, id), version },
    ...(typeof by === 'string' ? { by } : {}),
  };
}
