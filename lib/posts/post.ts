import type { Actor } from '../auth/caller.ts';
import { formatPostId, type Item, parseUserId } from '../dynamodb/keys.ts';
import { toUtc } from '../input/time.ts';

/** Times are ISO 8601 in UTC. `publishedAt` is null until publication. `version` starts at 1. */
export type Post = {
  id: string;
  authorId: string;
  title: string;
  publishedAt: string | null;
  version: number;
  by?: Actor | undefined;
};

/** Stored versions may lack `by`. */
export type NewPostVersion = Post & { by: Actor };

/** Throws for a damaged item. Ignores attributes that a later release may add. */
export function parsePost({ pk, sk, title, publishedAt, version = 1, by }: Item): Post {
  if (typeof pk !== 'string' || typeof sk !== 'string' || typeof title !== 'string' || typeof version !== 'number')
    throw new Error(`Invalid post item ${pk} ${sk}`);
  const id = formatPostId({ pk, sk });
  return {
    id,
    authorId: parseUserId(pk),
    title,
    publishedAt: parsePublishedAt(publishedAt, id),
    version,
    ...(typeof by === 'string' ? { by } : {}),
  };
}

/** Null for a damaged time, so that the post can still be read and published again. */
export function parsePublishedAt(stored: unknown, postId: string): string | null {
  if (stored === undefined || stored === null) return null;
  const time = toUtc(stored);
  if (time !== undefined) return time;
  logOnce(postId);
  return null;
}

const logged = new Set<string>();
const MAX_LOGGED = 1_000;

function logOnce(postId: string): void {
  if (logged.has(postId)) return;
  if (logged.size >= MAX_LOGGED) logged.clear();
  logged.add(postId);
  console.warn({ event: 'unreadable publishedAt', postId });
}
