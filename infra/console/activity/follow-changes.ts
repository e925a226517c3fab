import { getToken } from '../api/access-token.ts';
import { recordCall } from '../api/calls.ts';
import { followSubscription } from '../api/follow-subscription.ts';
import { USER_FIELDS, type User } from '../api/user-details.ts';
import { createStore } from '../store.ts';

export type Change = {
  cursor: string;
  kind: 'CREATED' | 'UPDATED' | 'DELETED';
  id: string;
  at: string;
  user: User | null;
};

export type Feed = {
  status: 'connecting' | 'live' | 'paused' | 'failed';
  /** Latest first. */
  changes: Change[];
  /** Where the next stream resumes. */
  cursor?: string;
  error?: string;
};

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
}
${USER_FIELDS}`;

const MAX_CHANGES = 200;
const SHOW_AFTER_MS = 1500;
const STREAM = { method: 'POST', path: '/graphql', headers: { accept: 'text/event-stream' } } as const;

export const feed = createStore<Feed>({ status: 'connecting', changes: [] });

const update = (change: Partial<Feed>) => feed.set((value) => ({ ...value, ...change }));

type Result = { data?: { userChanged: Change } | null; errors?: readonly { message: string }[] };

/** Follows the changes of all users after a cursor or a time, until the returned function is called. */
export function followChanges(after: string | undefined, onChange: (change: Change) => void): () => void {
  update({ status: 'connecting' });
  const start = after ? { after } : {};
  let pending: ReturnType<typeof setTimeout>;
  let finish: ReturnType<typeof recordCall>;
  let asked = 0;
  const results = followSubscription(
    '/graphql',
    { query: CHANGES, variables: start },
    {
      resumes: true,
      headers: readAuthorization,
      on: {
        connecting: (again) => {
          finish = recordCall({ ...STREAM, body: { query: CHANGES, variables: start } });
          asked = performance.now();
          // The service ends each stream after a while: a quick reconnection is not worth showing.
          pending = setTimeout(() => update({ status: 'connecting' }), again ? SHOW_AFTER_MS : 0);
        },
        connected: () => {
          clearTimeout(pending);
          finish({ status: 200, milliseconds: performance.now() - asked, body: 'The stream of changes' });
          update({ status: 'live' });
        },
      },
    },
  );
  let stopped = false;
  const read = async () => {
    for await (const result of results) {
      // The type of the fields that the operation selects.
      const { data, errors } = result as Result;
      if (stopped) return;
      if (data) add(data.userChanged, onChange);
      if (errors) update({ status: 'failed', error: errors[0]?.message ?? 'The subscription failed' });
    }
  };
  read().catch((error: Error) => {
    if (!stopped) update({ status: 'failed', error: error.message });
  });
  return () => {
    stopped = true;
    clearTimeout(pending);
    results.return?.(undefined);
  };
}

function add(change: Change, onChange: (change: Change) => void): void {
  feed.set((value) => ({
    ...value,
    cursor: change.cursor,
    changes: [change, ...value.changes].slice(0, MAX_CHANGES),
  }));
  onChange(change);
}

async function readAuthorization(): Promise<Record<string, string>> {
  const token = await getToken();
  return token ? { authorization: `Bearer ${token}` } : {};
}
