import { setTimeout as sleep } from 'node:timers/promises';
import { type Cursor, createCursorAtEnd, encodeCursor, resolveAfter } from './cursor.ts';
import type { ChangeEntry } from './entry.ts';
import { readChanges } from './read.ts';
import type { Topic } from './topics.ts';

export type LoggedChange = ChangeEntry & { cursor: string };

const POLL_INTERVAL_MS = 1_000;

type IsNew = (change: ChangeEntry) => boolean;

/**
 * The changes of a topic after a cursor, or from now on, in order, each once, until `stop` is aborted. Which changes are
 * new "from now on" is decided by their time, or by what `createIsNew` returns: it is called when the end of the log is
 * known. Throws BAD_USER_INPUT for an invalid cursor.
 */
export async function subscribe(
  topic: Topic,
  after: string | null | undefined,
  stop: AbortSignal,
  createIsNew?: () => Promise<IsNew>,
): Promise<AsyncGenerator<LoggedChange>> {
  if (after != null) return poll(topic, await resolveAfter(topic, after), stop);
  const end = await createCursorAtEnd(topic);
  return createIsNew ? poll(topic, { ...end, since: 0 }, stop, await createIsNew()) : poll(topic, end, stop);
}

async function* poll(
  topic: Topic,
  start: Cursor,
  stop: AbortSignal,
  isNew: IsNew = () => true,
): AsyncGenerator<LoggedChange> {
  let cursor = start;
  while (!stop.aborted) {
    for await (const { change, position } of readChanges(topic, cursor)) {
      const at = change ? Date.parse(change.at) : cursor.at;
      cursor = { since: cursor.since, at, ...position };
      if (change && Math.max(at, change.streamedAt) >= cursor.since && isNew(change))
        yield { ...change, cursor: encodeCursor(topic, cursor) };
    }
    // An aborted sleep rejects.
    await sleep(POLL_INTERVAL_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}
