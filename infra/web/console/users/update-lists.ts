import type { Query, QueryClient } from '@tanstack/react-query';
import { type ListRequest, listUsers, type UserList } from '../api/users.ts';

/** Reads the shown page again if it has room for users of others, and otherwise only the total. */
export async function updateLists(queryClient: QueryClient): Promise<void> {
  const cache = queryClient.getQueryCache();
  const shown = cache.findAll({ queryKey: ['users'], type: 'active' });
  if (shown.some(hasRoom)) return queryClient.invalidateQueries({ queryKey: ['users'] });
  if (!shown.some(hasTotal)) return;
  const startedAt = Date.now();
  const { total } = await listUsers({ limit: 1, page: 1, order: 'asc' });
  if (total === undefined) return;
  const isOlder = (query: Query) => hasTotal(query) && query.state.dataUpdatedAt <= startedAt;
  for (const { queryKey, state } of cache.findAll({ queryKey: ['users'], predicate: isOlder }))
    queryClient.setQueryData<UserList>(
      queryKey,
      (list) => list && { ...list, total },
      // The users of the list are no newer than before.
      { updatedAt: state.dataUpdatedAt },
    );
}

// The data and the request are those of `useUserList`.
const readList = ({ state }: Query) => state.data as UserList | undefined;
const readLimit = ({ queryKey }: Query) => (queryKey[1] as ListRequest).limit;

/** The matches of a search are not counted. */
const hasTotal = (query: Query) => readList(query)?.total !== undefined;

/** The last page, or one of which others have deleted users. */
const hasRoom = (query: Query) => (readList(query)?.users.length ?? Number.POSITIVE_INFINITY) < readLimit(query);
