import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ListRequest, listUsers } from '../api/users.ts';
import type { Route } from '../route.ts';
import { isSearch } from './search-text.ts';

/** The listed users. Requests whose answer is no longer wanted are aborted; the old list stays until the new one is there. */
export function useUserList({ q, order, page, size, after }: Route) {
  const request: ListRequest = isSearch(q)
    ? { limit: size, q, ...(after ? { after } : {}) }
    : { limit: size, page, order };
  return useQuery({
    queryKey: ['users', request],
    queryFn: ({ signal }) => listUsers(request, signal),
    placeholderData: keepPreviousData,
  });
}
