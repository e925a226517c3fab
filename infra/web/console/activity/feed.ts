import * as z from 'zod/mini';
import { type Call, calls, recordCall } from '../api/calls.ts';
import { followSubscription, StreamRejected } from '../api/follow-subscription.ts';
import { describeUserFields, user } from '../api/users.ts';
import { readAuthorization } from '../auth/access-token.ts';
import { createStore } from '../store.ts';

const change = z.object({
  cursor: z.string(),
  kind: z.enum(['CREATED', 'UPDATED', 'DELETED']),
  id: z.string(),
  at: z.string(),
  user: z.nullable(user),
});

export type Change = z.infer<typeof change>;

export type Feed = {
  status: 'connecting' | 'live' | 'paused' | 'failed';
  /** The latest change is first. */
  changes: Change[];
  /** The next stream resumes here: at a cursor or, before the first change, at a time. */
  cursor?: string | undefined;
  /** The first stream started at this time of the service's clock. */
  startedAt?: string;
  error?: string | undefined;
};

const MAX_CHANGES = 200;

export const feed = createStore<Feed>({ status: 'connecting', changes: [] });

export const updateFeed = (update: Partial<Feed>): void => feed.set((value) => ({ ...value, ...update }));

/** Adds changes that come oldest first. */
export function addChanges(added: Change[]): void {
  const changes = [...added.toReversed(), ...feed.get().changes].slice(0, MAX_CHANGES);
  updateFeed({ changes, cursor: added.at(-1)?.cursor });
}

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

const changeResult = z.object({ data: z.nullish(z.object({ userChanged: change })) });

/**
 * Follows the changes of all users after a cursor or a time, until the returned function is called. Those of a frame
 * come together: the past hour may be a thousand at once.
 */
export function followChanges(after: string | undefined, onChanges: (changes: Change[]) => void): () => void {
  updateFeed({ status: 'connecting', error: undefined });
  let stopped = false;
  let pending: ReturnType<typeof setTimeout> | undefined;
  const settle = () => {
    clearTimeout(pending);
    pending = undefined;
  };
  const results = followSubscription(
    '/graphql',
    { query: `${CHANGES}\n${describeUserFields()}`, variables: after ? { after } : {} },
    {
      resumes: true,
      headers: readAuthorization,
      fetch: fetchStream,
      // The service ends each stream after a while: a quick reconnection is not worth showing.
      onReconnecting: () => {
        pending ??= setTimeout(() => updateFeed({ status: 'connecting' }), SHOW_AFTER_MS);
      },
      onConnected: (cursor, now) => {
        settle();
        updateFeed({
          status: 'live',
          cursor: String(cursor),
          startedAt: feed.get().startedAt ?? now,
          error: undefined,
        });
      },
    },
  );
  let received: Change[] = [];
  const flush = () => {
    if (stopped) return;
    const changes = received;
    received = [];
    addChanges(changes);
    onChanges(changes);
  };
  const read = async () => {
    for await (const result of results) {
      if (stopped) return;
      const { data } = changeResult.parse(result);
      if (result.errors) updateFeed({ error: result.errors[0]?.message });
      if (!data) continue;
      if (received.length === 0) requestAnimationFrame(flush);
      received.push(data.userChanged);
    }
    throw new Error('The service has ended the subscription');
  };
  read().catch((error: Error) => {
    if (stopped) return;
    settle();
    updateFeed({ status: 'failed', error: error.message });
    // The service rejects the cursor, and will reject it again.
    if (error instanceof StreamRejected && error.status === 400) updateFeed({ cursor: undefined });
  });
  return () => {
    stopped = true;
    settle();
    results.return?.(undefined);
  };
}

const EVENT_STREAM = 'text/event-stream';

/** Asks for a stream, and shows the request among the others. */
export async function fetchStream(...[url, init]: Parameters<typeof fetch>): Promise<Response> {
  const body = z.record(z.string(), z.unknown()).parse(JSON.parse(String(init?.body)));
  // While the service is down, its repetitions would displace the other calls.
  calls.set((all) => all.filter((call) => !isFailedStream(call)));
  const finish = recordCall({ method: 'POST', path: '/graphql', headers: { accept: EVENT_STREAM }, body });
  const start = performance.now();
  try {
    const response = await fetch(url, init);
    const milliseconds = performance.now() - start;
    const text = response.ok ? 'The stream of changes' : await response.clone().text();
    finish({ status: response.status, milliseconds, body: text });
    return response;
  } catch (error) {
    const status = init?.signal?.aborted ? 'cancelled' : 'failed';
    finish({ status, milliseconds: performance.now() - start, body: String(error) });
    throw error;
  }
}

const isFailedStream = ({ headers, outcome }: Call) =>
  headers?.accept === EVENT_STREAM && (outcome?.status === 'failed' || Number(outcome?.status) >= 400);
