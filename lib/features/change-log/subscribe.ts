import { type Cursor, createCursorAtEnd, encodeLogCursor, isSince, moveCursor, resolveAfter } from './cursor.ts';
import type { ChangeEntry, LoggedChange } from './entry.ts';
import { LiveReader, type LiveStream } from './live-reader.ts';
import { isUpTo, type ReadChange, readChanges } from './read.ts';
import type { Topic } from './topics.ts';

/** A subscriber without changes resumes from `start`. */
export type ChangeStream = AsyncGenerator<LoggedChange> & { start: string };

/** The simulator replaces it. */
export const live = { reader: new LiveReader() };

/**
 * Yields the changes of a topic in order, each once, until `stop` is aborted. If `after` is missing, the version from
 * `readVersion` or else the time decides which changes are new. Throws BAD_USER_INPUT for an invalid cursor, and
 * SlowClient when the subscriber falls behind.
 */
export async function subscribe(
  topic: Topic,
  after: string | null | undefined,
  stop: AbortSignal,
  readVersion?: () => Promise<number>,
): Promise<ChangeStream> {
  const resumed = after == null ? undefined : await resolveAfter(topic, after);
  // Open the stream before reading the log, so that no change in between is missed.
  const stream = await live.reader.open(topic, stop);
  if (resumed) return startStream(readAll(stream, resumed, stop), topic, resumed);
  const end = await createCursorAtEnd(topic);
  if (!readVersion) return startStream(readNew(stream, stop), topic, end);
  const knownVersion = await readVersion();
  return startStream(readNew(stream, stop), topic, { ...end, since: 0 }, knownVersion);
}

const startStream = (reads: AsyncIterable<ReadChange>, topic: Topic, start: Cursor, knownVersion = 0): ChangeStream =>
  Object.assign(follow(reads, topic, start, knownVersion), { start: encodeLogCursor(topic, start) });

async function* readAll(stream: LiveStream, start: Cursor, stop: AbortSignal): AsyncGenerator<ReadChange> {
  yield* readChanges(stream.topic, start, { ConsistentRead: true });
  yield* readNew(stream, stop);
}

async function* readNew(stream: LiveStream, stop: AbortSignal): AsyncGenerator<ReadChange> {
  while (!stop.aborted) yield* await stream.take();
}

async function* follow(
  reads: AsyncIterable<ReadChange>,
  topic: Topic,
  start: Cursor,
  knownVersion: number,
): AsyncGenerator<LoggedChange> {
  let cursor = start;
  for await (const { change, position } of reads) {
    if (isUpTo(position, cursor)) continue;
    cursor = moveCursor(cursor, { change, position });
    if (change && isSince(cursor, change) && isNewer(change, knownVersion))
      yield { ...change, cursor: encodeLogCursor(topic, cursor) };
  }
}

const isNewer = ({ version }: ChangeEntry, knownVersion: number): boolean => version === null || version > knownVersion;
