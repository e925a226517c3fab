import * as z from 'zod/mini';
import { environment, timestamp } from '../../environment.ts';
import { invalidInput } from '../../errors.ts';
import { decodeJsonCursor, encodeCursor } from '../../input/cursor.ts';
import { toUtc } from '../../input/time.ts';
import { sizes } from '../../sizes.ts';
import { type ChangeEntry, findChangeTime, MAX_CLOCK_SKEW_MS } from './entry.ts';
import { readGapEnd } from './epochs.ts';
import { findOrderPosition, MARGIN_SECONDS, RETENTION_SECONDS, readLogEnd } from './order-log.ts';
import { findPosition, type LogPosition, type ReadChange, readChanges } from './read.ts';
import { formatPosition, isPosition, type Topic } from './topics.ts';

export type Cursor = LogPosition & {
  /** Start of the subscription, in ms. The reader skips older changes. */
  since: number;
  /** Time of the change at this cursor, in ms. */
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

/** Accepts cursors of any age. Throws BAD_USER_INPUT unless the text is a cursor of this topic. */
export function decodeLogCursor(topic: Topic, text: string): Cursor {
  const parsed = decodeJsonCursor(text, content);
  if (parsed?.[0] !== topic.name) throw invalidCursor();
  const [, since, at, watermark, offset] = parsed;
  return { since, at, watermark, offset };
}

const invalidCursor = () => invalidInput(['after'], 'must be a cursor of these changes, or a time in ISO 8601');

function requireRecent(time: number): void {
  if (time >= environment.now() - RETENTION_SECONDS * 1000) return;
  throw invalidInput(['after'], 'is too old: changes are kept for 24 hours; subscribe without after, then refetch');
}

/**
 * Moves the cursor to a read change. The stream's time counts, because an imported user's `updatedAt` may be years old,
 * or in the future.
 */
export const moveCursor = ({ since, at }: Cursor, { change, position }: ReadChange): Cursor => ({
  since,
  at: change ? change.streamedAt || Date.parse(change.at) : at,
  ...position,
});

/**
 * True if the change is not older than the subscription. True for all changes if the clock was set back since its
 * start.
 */
export const isSince = ({ since }: Cursor, change: ChangeEntry): boolean =>
  findChangeTime(change) >= since || environment.now() < since;

/** DynamoDB rounds the stream's times down to a second. */
const ROUNDING_MS = 999;

/** A write in progress has an earlier time, but its stream record has a time from `since` on. */
export async function createCursorAtEnd(topic: Topic): Promise<Cursor> {
  const now = environment.now();
  const watermark = topic.isOrderLog ? formatPosition((await readLogEnd()).number) : await findPosition(topic);
  return { since: now - ROUNDING_MS, at: now, watermark, offset: 0 };
}

/**
 * Maximum time between a write's timestamp and its commit. Covers DynamoDB Local too, which rounds stream times down.
 */
const MAX_WRITE_MS = 60_000;

export async function createCursor(topic: Topic, time: number): Promise<Cursor> {
  const start = time - MAX_CLOCK_SKEW_MS;
  const watermark = topic.isOrderLog ? await findOrderPosition(start) : await findPosition(topic, start - MAX_WRITE_MS);
  return { since: time, at: time, watermark, offset: 0 };
}

/**
 * Maximum age of changes for a subscriber that resumes: it may have been away for a day, and on-change may have been a
 * day late. Older changes require the right to histories: a forged cursor must not show all entries, which may be kept
 * for years.
 */
const MAX_AGE_MS = (2 * RETENTION_SECONDS + MARGIN_SECONDS) * 1000;

export const isTime = (text: string): boolean => toUtc(text) !== undefined;

/** Maximum difference between the clocks of a client and the service. */
const MAX_CLIENT_CLOCK_SKEW_MS = 10 * 60_000;

/** Returns ms, at most now. Throws BAD_USER_INPUT for the future: a mistyped start would skip all earlier changes. */
export function parseStart(time: string, parameter: string): number {
  const [start, now] = [Date.parse(time), environment.now()];
  if (start <= now + MAX_CLIENT_CLOCK_SKEW_MS) return Math.min(start, now);
  throw invalidInput([parameter], `is in the future: the service's time is ${timestamp()}`);
}

/**
 * Parses a cursor or a time: a subscriber without a received change may pass the time of its start. Throws
 * BAD_USER_INPUT for an invalid or expired one.
 */
export async function resolveAfter(topic: Topic, text: string): Promise<Cursor> {
  if (isTime(text)) {
    const from = parseStart(text, 'after');
    requireRecent(from);
    await requireNoGap(from);
    return createCursor(topic, from);
  }
  const cursor = decodeLogCursor(topic, text);
  requireRecent(cursor.at);
  await requireNoGap(cursor.at);
  if (topic.isOrderLog) await requireNotPastEnd(cursor);
  const kept = await keepRecent(topic, cursor);
  return { ...kept, since: Math.max(kept.since, environment.now() - MAX_AGE_MS) };
}

const REFRESH_MS = 3_600_000;

/** Moves an old cursor past changes that its subscriber does not see: it must not expire while nothing else changes. */
async function keepRecent(topic: Topic, cursor: Cursor): Promise<Cursor> {
  const now = environment.now();
  if (now - cursor.at < REFRESH_MS) return cursor;
  let [moved, refs] = [cursor, 0];
  for await (const read of readChanges(topic, cursor, { ConsistentRead: true, partSize: sizes.changesPerEntry })) {
    if (read.change || refs++ === sizes.refsPerPage) return moved;
    moved = moveCursor(moved, read);
  }
  return { ...moved, at: now };
}

/** Throws BAD_USER_INPUT if the log was turned off after this time: it may lack changes. */
async function requireNoGap(time: number): Promise<void> {
  const gapUntil = await readGapEnd();
  if (time >= gapUntil) return;
  const end = new Date(gapUntil).toISOString();
  throw invalidInput(
    ['after'],
    `is too old: changes before ${end} were not logged; subscribe without after, then refetch`,
  );
}

/**
 * Throws BAD_USER_INPUT past the end of the order log: a subscription with a forged cursor could wait forever. Entry
 * numbers grow more slowly than the clock in ms. Only a number ahead of the clock requires reading the end: the cursor
 * is forged, or the clock was set back.
 */
export async function requireNotPastEnd({ watermark }: Cursor): Promise<void> {
  if (watermark <= formatPosition(environment.now() + MAX_CLOCK_SKEW_MS)) return;
  if (watermark > formatPosition((await readLogEnd()).number)) throw invalidCursor();
}
