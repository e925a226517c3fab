import * as z from 'zod/mini';
import { environment } from '../../environment.ts';
import { invalidInput } from '../../errors.ts';
import { decodeJsonCursor, encodeCursor } from '../../input/cursor.ts';
import { dateTime } from '../../input/schemas.ts';
import { sizes } from '../../sizes.ts';
import { RETENTION_SECONDS } from './change.ts';
import type { ChangeEntry } from './entry.ts';
import { findOrderPosition, readLogEnd } from './order-log.ts';
import { findPosition } from './own-log.ts';
import type { LogPosition, ReadChange } from './read.ts';
import { formatPosition, isPosition, type Topic } from './topics.ts';

/** A subscriber has read a topic up to here. */
export type Cursor = LogPosition & {
  /** Changes before this time, in ms, are older than the subscription. */
  since: number;
  /** The cursor came with a change of this time, in ms. */
  at: number;
};

const content = z.tuple([
  z.string(),
  z.int(),
  z.int(),
  z.string().check(z.refine(isPosition)),
  z.int().check(z.minimum(0), z.maximum(sizes.changesPerEntry)),
]);

export const encodeLogCursor = ({ name }: Topic, { since, at, watermark, offset }: Cursor): string =>
  encodeCursor(JSON.stringify([name, since, at, watermark, offset]));

/** Creates a cursor after all that is in the log. */
export async function createCursorAtEnd(topic: Topic): Promise<Cursor> {
  const now = environment.now();
  const watermark = topic.isOrderLog ? formatPosition((await readLogEnd()).number) : await findPosition(topic);
  return { since: now, at: now, watermark, offset: 0 };
}

/** The clocks of a writer's or subscriber's environment and of `on-change` may differ by so many ms. */
const MAX_CLOCK_SKEW_MS = 5_000;

/** So many ms before its commit a write takes its time, and DynamoDB Local rounds the stream's times down by as many. */
const MAX_WRITE_MS = 60_000;

/** Creates a cursor before the first change from a time on, in ms. */
export async function createCursor(topic: Topic, time: number): Promise<Cursor> {
  const start = time - MAX_CLOCK_SKEW_MS;
  const watermark = topic.isOrderLog ? await findOrderPosition(start) : await findPosition(topic, start - MAX_WRITE_MS);
  return { since: time, at: time, watermark, offset: 0 };
}

/** Returns the cursor after what was read. An imported user may have an `updatedAt` of years ago. */
export const moveCursor = ({ since, at }: Cursor, { change, position }: ReadChange): Cursor => ({
  since,
  at: change ? Math.max(Date.parse(change.at), change.streamedAt) : at,
  ...position,
});

/** If the clock was set back after the subscription began, times do not tell which changes are older. */
export const isSince = ({ since }: Cursor, { at, streamedAt }: ChangeEntry): boolean =>
  Math.max(Date.parse(at), streamedAt) >= since || environment.now() < since;

const time = dateTime();

export const isTime = (text: string): boolean => time.safeParse(text).success;

/**
 * Finds where a subscription continues. Takes a time as well: a subscriber that has received no change has no cursor, and
 * resumes from when it began. Throws BAD_USER_INPUT as `decodeLogCursor` does.
 */
export async function resolveAfter(topic: Topic, text: string): Promise<Cursor> {
  if (!isTime(text)) {
    const cursor = decodeLogCursor(topic, text);
    if (topic.isOrderLog) await requireReached(cursor);
    return cursor;
  }
  const from = Math.min(environment.now(), Date.parse(text));
  requireRecent(from);
  return createCursor(topic, from);
}

/** Throws BAD_USER_INPUT for what is no cursor of this topic, and for one that is older than the changes that are kept. */
export function decodeLogCursor(topic: Topic, text: string): Cursor {
  const cursor = parseCursor(topic, text);
  requireRecent(cursor.at);
  return cursor;
}

/**
 * A forged cursor could wait for ever. Numbers rise more slowly than the time in ms, from which they go on: the log is read only for
 * a number that is ahead of the clock, such as those from before the clock was set back.
 */
export async function requireReached({ watermark }: Cursor): Promise<void> {
  if (watermark <= formatPosition(environment.now() + MAX_CLOCK_SKEW_MS)) return;
  if (watermark > formatPosition((await readLogEnd()).number)) throw invalidCursor();
}

function requireRecent(time: number): void {
  if (time >= environment.now() - RETENTION_SECONDS * 1000) return;
  throw invalidInput(
    ['after'],
    'is too old: changes are kept for 24 hours; refetch, then subscribe from the current time',
  );
}

const invalidCursor = () => invalidInput(['after'], 'must be a cursor of these changes, or a time in ISO 8601');

/** Throws BAD_USER_INPUT for what is no cursor of this topic. */
export function parseCursor(topic: Topic, text: string): Cursor {
  const parsed = decodeJsonCursor(text, content);
  if (parsed?.[0] !== topic.name) throw invalidCursor();
  const [, since, at, watermark, offset] = parsed;
  return { since, at, watermark, offset };
}
