import * as z from 'zod/mini';
import { environment } from '../../environment.ts';
import { invalidInput } from '../../errors.ts';
import { decodeJsonCursor, encodeCursor } from '../../input/cursor.ts';
import { dateTime } from '../../input/schemas.ts';
import { sizes } from '../../sizes.ts';
import type { ChangeEntry } from './entry.ts';
import { findOrderPosition, RETENTION_SECONDS, readLogEnd } from './order-log.ts';
import { findPosition, type LogPosition, type ReadChange } from './read.ts';
import { formatPosition, isPosition, type Topic } from './topics.ts';

/** A subscriber has read a topic up to here. */
export type Cursor = LogPosition & {
  /** Changes before this time, in ms, are older than the subscription. */
  since: number;
  /** The time of the change that the cursor came with, in ms. */
  at: number;
};

export const encodeLogCursor = ({ name }: Topic, { since, at, watermark, offset }: Cursor): string =>
  encodeCursor(JSON.stringify([name, since, at, watermark, offset]));

const content = z.tuple([
  z.string(),
  z.int(),
  z.int(),
  z.string().check(z.refine(isPosition)),
  z.int().check(z.minimum(0), z.maximum(sizes.changesPerEntry)),
]);

/** Throws BAD_USER_INPUT for a text that is not a cursor of this topic. */
export function parseCursor(topic: Topic, text: string): Cursor {
  const parsed = decodeJsonCursor(text, content);
  if (parsed?.[0] !== topic.name) throw invalidCursor();
  const [, since, at, watermark, offset] = parsed;
  return { since, at, watermark, offset };
}

const invalidCursor = () => invalidInput(['after'], 'must be a cursor of these changes, or a time in ISO 8601');

/** Throws BAD_USER_INPUT for a text that is not a cursor of this topic, and for a cursor that is too old for a subscription. */
export function decodeLogCursor(topic: Topic, text: string): Cursor {
  const cursor = parseCursor(topic, text);
  requireRecent(cursor.at);
  return cursor;
}

/** Throws BAD_USER_INPUT for a time whose changes are no longer kept. */
function requireRecent(time: number): void {
  if (time >= environment.now() - RETENTION_SECONDS * 1000) return;
  throw invalidInput(
    ['after'],
    'is too old: changes are kept for 24 hours; refetch, then subscribe from the current time',
  );
}

/** Returns the cursor after what was read. An imported user may have an `updatedAt` of years ago. */
export const moveCursor = ({ since, at }: Cursor, { change, position }: ReadChange): Cursor => ({
  since,
  at: change ? Math.max(Date.parse(change.at), change.streamedAt) : at,
  ...position,
});

/** If the clock was set back after the subscription began, times do not show which changes are older. */
export const isSince = ({ since }: Cursor, { at, streamedAt }: ChangeEntry): boolean =>
  Math.max(Date.parse(at), streamedAt) >= since || environment.now() < since;

/** Creates a cursor after all that is in the log. */
export async function createCursorAtEnd(topic: Topic): Promise<Cursor> {
  const now = environment.now();
  const watermark = topic.isOrderLog ? formatPosition((await readLogEnd()).number) : await findPosition(topic);
  return { since: now, at: now, watermark, offset: 0 };
}

/** The clocks of a writer, a subscriber and `on-change` may differ by this. */
const MAX_CLOCK_SKEW_MS = 5_000;

/** A write takes its time up to this long before its commit. DynamoDB Local rounds the stream's times down by as much. */
const MAX_WRITE_MS = 60_000;

/** Creates a cursor before the first change from a time on, in ms. */
export async function createCursor(topic: Topic, time: number): Promise<Cursor> {
  const start = time - MAX_CLOCK_SKEW_MS;
  const watermark = topic.isOrderLog ? await findOrderPosition(start) : await findPosition(topic, start - MAX_WRITE_MS);
  return { since: time, at: time, watermark, offset: 0 };
}

const time = dateTime();

export const isTime = (text: string): boolean => time.safeParse(text).success;

/**
 * Finds where a subscription continues: after a cursor, or from a time on. A subscriber that has received no change has no
 * cursor, and resumes from when it began. Throws BAD_USER_INPUT as `decodeLogCursor` does.
 */
export async function resolveAfter(topic: Topic, text: string): Promise<Cursor> {
  if (isTime(text)) {
    const from = Math.min(environment.now(), Date.parse(text));
    requireRecent(from);
    return createCursor(topic, from);
  }
  const cursor = decodeLogCursor(topic, text);
  if (topic.isOrderLog) await requireReached(cursor);
  return cursor;
}

/**
 * Throws BAD_USER_INPUT for a position after the end of the order log: a forged cursor could wait for ever. Numbers rise more
 * slowly than the time in ms, from which they start. So the log is read only for a number ahead of the clock, such as one
 * from before the clock was set back.
 */
export async function requireReached({ watermark }: Cursor): Promise<void> {
  if (watermark <= formatPosition(environment.now() + MAX_CLOCK_SKEW_MS)) return;
  if (watermark > formatPosition((await readLogEnd()).number)) throw invalidCursor();
}
