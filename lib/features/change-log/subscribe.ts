import { type Cursor, createCursorAtEnd, encodeLogCursor, isSince, moveCursor, resolveAfter } from './cursor.ts';
import type { ChangeEntry } from './entry.ts';
import { LiveReader, type LiveStream } from './live-reader.ts';
import { isUpTo, type ReadChange, readChanges } from './read.ts';
import type { Topic } from './topics.ts';

export type LoggedChange = ChangeEntry & { cursor: string };

/** `start` is the cursor before the first change. A subscriber that has received no change resumes from it. */
export type ChangeStream = AsyncGenerator<LoggedChange> & { start: string };

type IsNew = (change: ChangeEntry) => boolean;

/** All streams of a process share a reader. The simulator, which has many environments in one process, gives others. */
export const live = { reader: new LiveReader() };

/**
 * The changes of a topic after a cursor, or from now on, in order, each once, until `stop` is aborted. Which changes are
 * new "from now on" is decided by their time, or by what `createIsNew` returns: it is called when the end of the log is
 * known. Throws BAD_USER_INPUT for an invalid cursor, and SlowClient when its reader falls behind.
 */
export async function subscribe(
  topic: Topic,
  after: string | null | undefined,
  stop: AbortSignal,
  createIsNew?: () => Promise<IsNew>,
): Promise<ChangeStream> {
  const start = after == null ? undefined : await resolveAfter(topic, after);
  // What is appended while the log is read is delivered afterwards, so that there is no gap between the two.
  const stream = await live.reader.open(topic, stop);
  const open = (from: Cursor, isNew?: IsNew, earlier?: AsyncIterable<ReadChange>) =>
    Object.assign(follow(stream, from, stop, isNew, earlier), { start: encodeLogCursor(topic, from) });
  if (start) return open(start, undefined, readChanges(topic, start, { ConsistentRead: true }));
  const end = await createCursorAtEnd(topic);
  const isNew = await createIsNew?.();
  return open(isNew ? { ...end, since: 0 } : end, isNew);
}

/** Delivers what `earlier` reads, then what the stream does. */
async function* follow(
  stream: LiveStream,
  start: Cursor,
  stop: AbortSignal,
  isNew: IsNew = () => true,
  earlier: AsyncIterable<ReadChange> = readNothing(),
): AsyncGenerator<LoggedChange> {
  let cursor = start;
  for await (const read of concat(earlier, takeChanges(stream, stop))) {
    // The stream began before the log was read to its end.
    if (isUpTo(read.position, cursor)) continue;
    const { change, position } = read;
    cursor = moveCursor(cursor, { change, position });
    if (change && isSince(cursor, change) && isNew(change))
      yield { ...change, cursor: encodeLogCursor(stream.topic, cursor) };
  }
}

async function* takeChanges(stream: LiveStream, stop: AbortSignal): AsyncGenerator<ReadChange> {
  while (!stop.aborted) yield* await stream.take();
}

async function* readNothing(): AsyncGenerator<ReadChange> {}

async function* concat<Item>(...parts: AsyncIterable<Item>[]): AsyncGenerator<Item> {
  for (const part of parts) yield* part;
}
