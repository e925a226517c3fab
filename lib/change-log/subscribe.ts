import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../environment.ts';
import { type Cursor, createCursor, decodeCursor, encodeCursor } from './cursor.ts';
import { readChanges, type StoredChange } from './read.ts';
import type { Topic } from './topics.ts';

export type LoggedChange = StoredChange & { cursor: string };

const POLL_INTERVAL_MS = 1_000;

type IsNew = (change: StoredChange) => boolean;

/** So far before its start, in ms, a subscription looks for changes when it can tell the new ones by more than time. */
const LOOK_BACK_MS = 60_000;

/**
 * The changes of a topic after a cursor, or from now on, in order, each once, until `stop` is aborted. Which changes are
 * new "from now on" is decided by their time, unless `isNew` decides. Throws BAD_USER_INPUT for an invalid cursor.
 */
export function subscribe(
  topic: Topic,
  after: string | null | undefined,
  stop: AbortSignal,
  isNew?: IsNew,
): AsyncGenerator<LoggedChange> {
  const start =
    after == null
      ? createCursor(topic, isNew ? environment.now() - LOOK_BACK_MS : environment.now())
      : decodeCursor(topic, after);
  return poll(topic, start, stop, isNew ?? (() => true));
}

async function* poll(topic: Topic, start: Cursor, stop: AbortSignal, isNew: IsNew): AsyncGenerator<LoggedChange> {
  let cursor = start;
  while (!stop.aborted) {
    for await (const { change, position } of readChanges(topic, cursor)) {
      const at = Date.parse(change.at);
      cursor = { since: cursor.since, at, ...position };
      if (Math.max(at, change.streamedAt) >= cursor.since && isNew(change))
        yield { ...change, cursor: encodeCursor(topic, cursor) };
    }
    // An aborted sleep rejects.
    await sleep(POLL_INTERVAL_MS, undefined, { signal: stop }).catch(() => undefined);
  }
}
