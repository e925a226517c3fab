import type { Actor } from '../auth/caller.ts';
import { formatPostId, type Item, parseUserId } from '../dynamodb/keys.ts';

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

/** DateTime, and what most clients read times with, know no years of five digits or before 0. */
export const hasFourDigitYear = (iso: string): boolean => /^\d{4}-/.test(iso);

/** Reads what is stored. A time that cannot be shown counts as none, so that the post can be read, and published again. */
export function parsePublishedAt(stored: unknown, postId: string): string | null {
  if (stored === undefined || stored === null) return null;
  const time = typeof stored === 'string' ? new Date(stored) : undefined;
  const iso = time && !Number.isNaN(time.getTime()) ? time.toISOString() : '';
  if (hasFourDigitYear(iso)) return iso;
  logOnce(postId);
  return null;
}

const logged = new Set<string>();
const MAX_LOGGED = 1_000;

/** A list that is read often has the same post each time. */
function logOnce(postId: string): void {
  if (logged.has(postId)) return;
  if (logged.size >= MAX_LOGGED) logged.clear();
  logged.add(postId);
  console.warn({ event: 'unreadable publishedAt', postId });
}
