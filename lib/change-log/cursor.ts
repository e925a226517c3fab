import * as z from 'zod';
import { invalidInput } from '../errors.ts';
import { RETENTION_SECONDS } from './append.ts';
import { type Topic, unpackSuffixes, packSuffixes } from './topics.ts';

/** How far a subscriber has read a topic: all up to `floor`, and of what has not settled behind it, the `sent`. */
export type Cursor = {
  /** Changes before this time, in ms, are older than the subscription. */
  since: number;
  /** The time, in ms, of the change that the cursor came with. */
  at: number;
  watermark: string;
  /** The tails of places. */
  seen: Set<string>;
};

/** A cursor names each change sent that has not settled, in 6 bytes; with more than these, newer ones wait till they have. */
export const MAX_SEEN_IDS = 512;

const head = z.tuple([z.string(), z.int(), z.int(), z.string()]);

export function encode({ name }: Topic, { since, at, watermark, seen }: Cursor): string {
  const start = Buffer.from(JSON.stringify([name, since, at, watermark])).toString('base64url');
  return seen.size > 0 ? `${start}.${packSuffixes(seen)}` : start;
}

/** Before the first change from a time on, in ms. */
export const from = (topic: Topic, time: number): Cursor => ({
  since: time,
  at: time,
  watermark: topic.start(time),
  seen: new Set(),
});

const time = z.iso.datetime({ offset: true });

/**
 * Takes a time, too: who has had no change yet has no cursor, and goes on from when it began.
 * Throws `invalid` for what is no cursor of this topic, or so old that changes behind it are gone.
 */
export function decode(topic: Topic, text: string): Cursor {
  const now = Date.now();
  const cursor = time.safeParse(text).success ? from(topic, Math.min(now, Date.parse(text))) : read(topic, text);
  const oldest = now - RETENTION_SECONDS * 1000;
  if (cursor.at < oldest)
    throw invalidInput(['after'], 'after: changes are kept for 24 hours, and this is older; read anew, then subscribe');
  // Behind a floor of someone's own making there may be years to read, or nothing ever.
  if (cursor.watermark < topic.start(oldest) || !topic.isWatermark(cursor.watermark, now)) throw invalidCursor();
  return cursor;
}

const invalidCursor = () =>
  invalidInput(['after'], 'after: must be a cursor of this subscription, or a time in ISO 8601');

function read(topic: Topic, text: string): Cursor {
  const [start = '', tails = ''] = text.split('.');
  const result = head.safeParse(json(Buffer.from(start, 'base64url').toString()));
  const seen = unpackSuffixes(tails);
  if (!result.success || result.data[0] !== topic.name || seen.size > MAX_SEEN_IDS) throw invalidCursor();
  const [, since, at, watermark] = result.data;
  return { since, at, watermark, seen };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
