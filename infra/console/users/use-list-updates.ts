import { type Query, type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Feed, feed } from '../activity/feed.ts';
import { type ListRequest, listUsers, type UserList } from '../api/users.ts';

/** Many changes at once cause one request. */
const DELAY_MS = 1000;

/** Keeps totals right and short lists complete while others create and delete users, and reads again after an outage. */
export function useListUpdates(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    let last = feed.get();
    let pending: ReturnType<typeof setTimeout> | undefined;
    const update = () => {
      pending = undefined;
      // Without an answer, the lists stay as they are until the next change.
      updateLists(queryClient).catch(() => {});
    };
    const unsubscribe = feed.subscribe(() => {
      const next = feed.get();
      if (next.status === 'live' && last.status !== 'live') refetchFailed(queryClient);
      if (countsChanged(last, next)) pending ??= setTimeout(update, DELAY_MS);
      last = next;
    });
    return () => {
      clearTimeout(pending);
      unsubscribe();
    };
  }, [queryClient]);
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

async function updateLists(queryClient: QueryClient): Promise<void> {
  const cache = queryClient.getQueryCache();
  const shown = cache.findAll({ queryKey: ['users'], type: 'active' });
  if (shown.some(isShort)) return queryClient.invalidateQueries({ queryKey: ['users'] });
  if (!shown.some(hasTotal)) return;
  const { total } = await listUsers({ limit: 1, page: 1, order: 'asc' });
  // The users of the list are no newer than before.
  for (const { queryKey, state } of cache.findAll({ queryKey: ['users'], predicate: hasTotal }))
    queryClient.setQueryData<UserList>(
      queryKey,
      (list) => list && { ...list, ...(total === undefined ? {} : { total }) },
      {
        updatedAt: state.dataUpdatedAt,
      },
    );
}

// The data and the request are those of `useUserList`.
const readList = ({ state }: Query) => state.data as UserList | undefined;
const hasTotal = (query: Query) => readList(query)?.total !== undefined;

/** The first page has room: a new user belongs there, and moves none to another page. */
function isShort(query: Query): boolean {
  const request = query.queryKey[1] as ListRequest;
  const list = readList(query);
  return list !== undefined && 'page' in request && request.page === 1 && list.users.length < request.limit;
}
