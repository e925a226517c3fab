import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Feed, feed } from '../activity/feed.ts';
import { createThrottle } from './throttle.ts';
import { updateLists } from './update-lists.ts';

/** Keeps totals right and short lists complete while others create and delete users, and reads again after an outage. */
export function useListUpdates(): void {
  const queryClient = useQueryClient();
  useEffect(() => followListChanges(queryClient), [queryClient]);
}

/** Until the returned function is called. */
export function followListChanges(queryClient: QueryClient): () => void {
  // Without an answer, the lists stay as they are until the next change.
  const updates = createThrottle(() => updateLists(queryClient).catch(() => {}));
  let last = feed.get();
  const unsubscribe = feed.subscribe(() => {
    const next = feed.get();
    if (next.status === 'live' && last.status !== 'live') refetchFailed(queryClient);
    if (countsChanged(last, next)) updates.request();
    last = next;
  });
  return () => {
    updates.stop();
    unsubscribe();
  };
}

function refetchFailed(queryClient: QueryClient): void {
  queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
}

function countsChanged(last: Feed, next: Feed): boolean {
  if (next.changes === last.changes) return false;
  const known = next.changes.findIndex(({ cursor }) => cursor === last.changes[0]?.cursor);
  const added = known < 0 ? next.changes : next.changes.slice(0, known);
  return added.some(({ kind }) => kind !== 'UPDATED');
}
