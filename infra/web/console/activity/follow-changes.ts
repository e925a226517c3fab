import { readAuthorization } from '../api/access-token.ts';
import { followSubscription } from '../api/follow-subscription.ts';
import { StreamRejected } from '../api/stream-rejected.ts';
import { USER_FIELDS } from '../api/user-details.ts';
import { addChanges, type Change, feed, updateFeed } from './feed.ts';
import { fetchStream } from './fetch-stream.ts';

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

const SHOW_AFTER_MS = 1500;

type Result = { data?: { userChanged: Change } | null; errors?: readonly { message: string }[] };

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
    { query: CHANGES, variables: after ? { after } : {} },
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
      // The type of the fields that the operation selects.
      const { data, errors } = result as Result;
      if (errors) updateFeed({ error: errors[0]?.message });
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
    // The service does not take the cursor, nor will it later.
    if (error instanceof StreamRejected && error.status === 400) updateFeed({ cursor: undefined });
  });
  return () => {
    stopped = true;
    settle();
    results.return?.(undefined);
  };
}
