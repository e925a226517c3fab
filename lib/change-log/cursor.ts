import * as z from 'zod/mini';
import { environment } from '../environment.ts';
import { invalidInput } from '../errors.ts';
import { sizes } from '../sizes.ts';
import { RETENTION_SECONDS } from './append.ts';
import type { LogPosition } from './read.ts';
import { findEnd, findStart, isPosition, type Topic } from './topics.ts';

/** A subscriber has read a topic up to here. */
export type Cursor = LogPosition & {
  /** Changes before this time, in ms, are older than the subscription. */
  since: number;
  /** The cursor came with a change of this time, in ms. */
  at: number;
};

const MAX_LENGTH = 300;

const content = z.tuple([
  z.string(),
  z.int(),
  z.int(),
  z.string().check(z.refine(isPosition)),
  z.int().check(z.minimum(0), z.maximum(sizes.changesPerEntry)),
]);

export const encodeCursor = ({ name }: Topic, { since, at, watermark, offset }: Cursor): string =>
  Buffer.from(JSON.stringify([name, since, at, watermark, offset])).toString('base64url');

/** Creates a cursor before the first change from a time on, in ms. */
export const createCursor = (topic: Topic, time: number): Cursor => ({
  since: time,
  at: time,
  watermark: findStart(topic, time),
  offset: 0,
});

const time = z.iso.datetime({ offset: true });

/**
 * Takes a time as well: a subscriber that has received no change has no cursor, and resumes from when it began.
 * Throws BAD_USER_INPUT for what is no cursor of this topic, and for one that is older than the changes that are kept.
 */
export function decodeCursor(topic: Topic, text: string): Cursor {
  const now = environment.now();
  const cursor = time.safeParse(text).success
    ? createCursor(topic, Math.min(now, Date.parse(text)))
    : parseCursor(topic, text);
  const oldest = now - RETENTION_SECONDS * 1000;
  if (cursor.at < oldest)
    throw invalidInput(
      ['after'],
      'is too old: changes are kept for 24 hours; refetch, then subscribe from the current time',
    );
  // Reject forged cursors: they could start unbounded reads, or wait for ever.
  if (cursor.watermark < findStart(topic, oldest) || cursor.watermark > findEnd(topic, now)) throw invalidCursor();
  return cursor;
}

const invalidCursor = () => invalidInput(['after'], 'must be a cursor of this subscription, or a time in ISO 8601');

function parseCursor(topic: Topic, text: string): Cursor {
  if (text.length > MAX_LENGTH) throw invalidCursor();
  const result = content.safeParse(parseJson(Buffer.from(text, 'base64url').toString()));
  if (!result.success || result.data[0] !== topic.name) throw invalidCursor();
  const [, since, at, watermark, offset] = result.data;
  return { since, at, watermark, offset };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
