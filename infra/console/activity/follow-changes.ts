import { getToken } from '../api/access-token.ts';
import { followSubscription } from '../api/follow-subscription.ts';
import type { User } from '../api/user-details.ts';
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
      id
      name
      email
      createdAt
      updatedAt
      version
    }
  }
}`;

const MAX_CHANGES = 200;

export const feed = createStore<Feed>({ status: 'connecting', changes: [] });

const update = (change: Partial<Feed>) => feed.set((value) => ({ ...value, ...change }));

type Result = { data?: { userChanged: Change } | null; errors?: readonly { message: string }[] };

/** Follows the changes of all users after a cursor or a time, until the returned function is called. */
export function followChanges(after: string | undefined, onChange: (change: Change) => void): () => void {
  update({ status: 'connecting' });
  const results = followSubscription(
    '/graphql',
    { query: CHANGES, variables: after ? { after } : {} },
    {
      resumes: true,
      headers: readAuthorization,
      on: {
        connecting: () => update({ status: 'connecting' }),
        connected: () => update({ status: 'live' }),
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
