import { ClientError } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import type { ChangesSubscription } from '../api/document-types.ts';
import { rememberName, type WithOwnFields, withUserFields } from '../api/users.ts';
import { createStore } from '../store.ts';

export type Change = WithOwnFields<ChangesSubscription>['userChanged'];

export type Feed = {
  status: 'connecting' | 'live' | 'paused' | 'failed';
  /** Latest first. */
  changes: Change[];
  dropped: number;
  /** Position after the latest change, or where the stream started. */
  cursor?: string | undefined;
  /** By the service's clock. */
  startedAt?: string;
  error?: string | undefined;
};

const MAX_CHANGES = 200;

export const feed = createStore<Feed>({ status: 'connecting', changes: [], dropped: 0 });

export const updateFeed = (update: Partial<Feed>): void => feed.set((value) => ({ ...value, ...update }));

export function addChanges(added: Change[]): void {
  for (const { user } of added) if (user) rememberName(user);
  const { changes, dropped } = feed.get();
  const all = [...added.toReversed(), ...changes];
  updateFeed({
    changes: all.slice(0, MAX_CHANGES),
    dropped: dropped + Math.max(0, all.length - MAX_CHANGES),
    cursor: added.at(-1)?.cursor,
  });
}

export const dropChanges = (id: string): void =>
  updateFeed({ changes: feed.get().changes.filter((change) => change.id !== id) });

const CHANGES = `subscription Changes($after: ID) {
  userChanged(after: $after) {
    cursor
    kind
    id
    at
    user {
      ...UserFields
    }
  }
}`;

const SHOW_AFTER_MS = 1500;

/** True if the service or this caller has too many open streams. */
const isFull = (reason: Error) => reason instanceof ClientError && (reason.status === 429 || reason.status === 503);

/**
 * Calls `onChanges` once per frame: the past hour may have a thousand changes. Calls `onTooOld` if the service no longer
 * has the changes after the cursor.
 */
export function followChanges(
  after: string | undefined,
  onChanges: (changes: Change[]) => void,
  onTooOld: () => void,
): () => void {
  updateFeed({ status: 'connecting', error: undefined });
  let pending: ReturnType<typeof setTimeout> | undefined;
  const settle = () => {
    clearTimeout(pending);
    pending = undefined;
  };
  const stop = new AbortController();
  const results = client.subscribe(
    { query: withUserFields(CHANGES), variables: after ? { after } : {} },
    {
      resumes: true,
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
      onConnect: (cursor, now) => {
        settle();
        updateFeed({ status: 'live', cursor, startedAt: feed.get().startedAt ?? now, error: undefined });
      },
    },
  );
  let received: Change[] = [];
  const flush = () => {
    if (stop.signal.aborted) return;
    const changes = received;
    received = [];
    addChanges(changes);
    onChanges(changes);
  };
  const read = async () => {
    for await (const { data, errors } of results) {
      if (stop.signal.aborted) return;
      if (errors) updateFeed({ error: errors[0]?.message });
      if (!data) continue;
      if (received.length === 0) requestAnimationFrame(flush);
      // Cast: the document selects every member of `Change`.
      received.push(data.userChanged as Change);
    }
  };
  read().catch((error: Error) => {
    if (stop.signal.aborted) return;
    settle();
    updateFeed({ status: 'failed', error: error.message });
    if (!(error instanceof ClientError && error.status === 400)) return;
    const { cursor = after } = feed.get();
    // Drops the cursor, because the service will never accept it.
    updateFeed({ cursor: undefined });
    if (cursor !== undefined) onTooOld();
  });
  return () => {
    stop.abort();
    settle();
  };
}
