import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { pause } from '../../../../lib/client/transport.ts';
import { type Feed, feed } from '../activity/feed.ts';
import { type ListRequest, listUsers, type UserList } from '../api/users.ts';
import { queryClient, refetchFailed, refresh } from '../query-client.ts';

export const useListUpdates = (): void => useEffect(followListChanges, []);

export function followListChanges(): () => void {
  // Ignores an error: the next change updates the lists.
  const updates = createThrottle(() => updateLists().catch(() => {}));
  let last = feed.get();
  const unsubscribe = feed.subscribe(() => {
    const next = feed.get();
    if (next.status === 'live' && last.status !== 'live') refetchFailed();
    if (countsChanged(last, next)) updates.request();
    last = next;
  });
  return () => {
    updates.stop();
    unsubscribe();
  };
}

function countsChanged(last: Feed, next: Feed): boolean {
  if (next.changes === last.changes) return false;
  const known = next.changes.findIndex(({ cursor }) => cursor === last.changes[0]?.cursor);
  const added = known < 0 ? next.changes : next.changes.slice(0, known);
  return added.some(({ kind }) => kind !== 'UPDATED');
}

async function updateLists(): Promise<void> {
  const cache = queryClient.getQueryCache();
  const shown = cache.findAll({ queryKey: ['users'], type: 'active' });
  refresh(['count']);
  if (shown.some(hasRoom)) return refresh(['users']);
  if (!shown.some(hasTotal)) return;
  const startedAt = Date.now();
  const { total } = await listUsers({ limit: 1, page: 1, order: 'asc' });
  if (total === undefined) return;
  const isOlder = (query: Query) => hasTotal(query) && query.state.dataUpdatedAt <= startedAt;
  for (const { queryKey, state } of cache.findAll({ queryKey: ['users'], predicate: isOlder }))
    queryClient.setQueryData<UserList>(queryKey, (list) => list && { ...list, total }, {
      updatedAt: state.dataUpdatedAt,
    });
}

// Cast: `useUserList` creates these queries.
const readList = ({ state }: Query) => state.data as UserList | undefined;
const readLimit = ({ queryKey }: Query) => (queryKey[1] as ListRequest).limit;

const hasTotal = (query: Query) => readList(query)?.total !== undefined;

/** True for the last page, or after deletions by other clients. */
const hasRoom = (query: Query) => (readList(query)?.users.length ?? Number.POSITIVE_INFINITY) < readLimit(query);

const DELAY_MS = 1000;
const MAX_REST_MS = 10_000;

/**
 * Runs the task one second after a request, never twice at once. While requests continue, the pause doubles. Libraries'
 * throttles do not wait for async tasks.
 */
function createThrottle(task: () => Promise<void>): { request: () => void; stop: () => void } {
  let isRequested = false;
  let isRunning = false;
  let isStopped = false;
  const run = async () => {
    isRunning = true;
    for (let restMs = DELAY_MS; isRequested; restMs = Math.min(restMs * 2, MAX_REST_MS)) {
      await pause(DELAY_MS);
      if (isStopped) return;
      isRequested = false;
      await task();
      await pause(restMs);
    }
    isRunning = false;
  };
  return {
    request() {
      isRequested = true;
      if (!isRunning) run();
    },
    stop() {
      isStopped = true;
    },
  };
}
