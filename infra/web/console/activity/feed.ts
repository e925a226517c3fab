import { ClientError, type UserChange } from '../../../../lib/client/client.ts';
import { client, connect } from '../api/client.ts';
import { forgetName, recallName, rememberName, type User } from '../api/users.ts';
import { createStore } from '../store.ts';

export type Change = Omit<UserChange<User>, 'by' | 'changed'>;

/** `name`: of a deleted user, because the event contains only the id. */
export type ListedChange = Pick<Change, 'cursor' | 'kind' | 'id' | 'at'> & {
  user: Pick<User, 'id' | 'name' | 'email' | 'version'> | null;
  name?: string | undefined;
};

export type Feed = {
  status: 'connecting' | 'live' | 'paused' | 'failed';
  /** Latest first. */
  changes: ListedChange[];
  dropped: number;
  /** Cursors of the changes that `readLastHour` has read. The stream may deliver the same changes later. */
  readCursors?: Set<string>;
  /** Position after the latest change, or where the stream started. */
  cursor?: string | undefined;
  error?: string | undefined;
  /** Changes since the last stream are unknown, until the page reads its data again. */
  hasGap?: boolean;
};

const MAX_CHANGES = 200;

/** The page reads its first list before the first stream is open. */
export const feed = createStore<Feed>({ status: 'connecting', changes: [], dropped: 0, hasGap: true });

export const updateFeed = (update: Partial<Feed>): void => feed.set((value) => ({ ...value, ...update }));

export function addChanges(added: Change[]): void {
  const { changes, dropped, readCursors } = feed.get();
  const unread = added.filter(({ cursor }) => !readCursors?.has(cursor));
  const all = [...unread.map(nameDeleted).toReversed(), ...changes];
  updateFeed({
    changes: all.slice(0, MAX_CHANGES),
    dropped: dropped + Math.max(0, all.length - MAX_CHANGES),
    cursor: added.at(-1)?.cursor,
  });
}

/** Moves the name of a deleted user to the change. */
function nameDeleted(change: ListedChange): ListedChange {
  const { id, user } = change;
  if (user) {
    rememberName(user);
    return change;
  }
  const name = recallName(id);
  forgetName(id);
  return { ...change, name };
}

export const findDeletedName = (id: string): string | undefined =>
  recallName(id) ?? feed.get().changes.find((change) => change.id === id)?.name;

const HOUR_MS = 3_600_000;

/** Shows the changes of the last hour, without applying them: the page shows newer data. */
export async function readLastHour(): Promise<void> {
  const before = new Set(feed.get().changes);
  const read: ListedChange[] = [];
  const readCursors = new Set<string>();
  for await (const change of client.users.changesSince(new Date(Date.now() - HOUR_MS))) {
    readCursors.add(change.cursor);
    read.unshift(nameDeleted(change));
    read.splice(MAX_CHANGES);
  }
  const arrived = feed.get().changes.filter((change) => !before.has(change) && !readCursors.has(change.cursor));
  const changes = [...arrived, ...read].slice(0, MAX_CHANGES);
  updateFeed({ changes, dropped: arrived.length + readCursors.size - changes.length, readCursors });
}

export const dropChanges = (id: string): void =>
  updateFeed({ changes: feed.get().changes.filter((change) => change.id !== id) });

const SHOW_AFTER_MS = 1500;

/** True if the service or this caller has too many open streams. */
const isFull = (reason: Error) => reason instanceof ClientError && (reason.status === 429 || reason.status === 503);

/**
 * Calls `onChanges` once per frame: the past hour may have a thousand changes. Calls `onTooOld` if the changes after
 * the cursor have expired. Calls `onGap` once a later stream is open: data read before could miss changes.
 */
export function followChanges(
  after: string | undefined,
  onChanges: (changes: Change[]) => void,
  onTooOld: () => void,
  onGap: () => void,
): () => void {
  updateFeed({ status: 'connecting', error: undefined });
  let pending: ReturnType<typeof setTimeout> | undefined;
  const settle = () => {
    clearTimeout(pending);
    pending = undefined;
  };
  const stop = new AbortController();
  const changes = connect().changes({
    after,
    signal: stop.signal,
    // Shows only long reconnections, because the service ends each stream after a while.
    onReconnect: () => {
      if (stop.signal.aborted) return;
      pending ??= setTimeout(() => updateFeed({ status: 'connecting' }), SHOW_AFTER_MS);
    },
    // Shows the message, which contains the limit of open streams.
    onWait: (reason) => {
      if (stop.signal.aborted || !isFull(reason)) return;
      settle();
      updateFeed({ status: 'connecting', error: reason.message });
    },
    onConnect: (cursor) => {
      settle();
      const { hasGap } = feed.get();
      updateFeed({ status: 'live', cursor, error: undefined, hasGap: false });
      if (hasGap) onGap();
    },
  });
  let received: Change[] = [];
  const flush = () => {
    if (stop.signal.aborted) return;
    const changes = received;
    received = [];
    addChanges(changes);
    onChanges(changes);
  };
  const read = async () => {
    for await (const change of changes) {
      if (stop.signal.aborted) return;
      if (received.length === 0) requestAnimationFrame(flush);
      received.push(change);
    }
  };
  read().catch((error: Error) => {
    if (stop.signal.aborted) return;
    settle();
    const { cursor = after } = feed.get();
    updateFeed({ status: 'failed', error: error.message, hasGap: cursor === undefined });
    if (!(error instanceof ClientError && error.status === 400)) return;
    // Drops the cursor, because the service will never accept it.
    updateFeed({ cursor: undefined, hasGap: true });
    if (cursor !== undefined) onTooOld();
  });
  return () => {
    stop.abort();
    settle();
  };
}
