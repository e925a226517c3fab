import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { offer } from './offer.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      // Also sends while the browser is offline: the service may run on this machine.
      networkMode: 'always',
      refetchOnReconnect: true,
      // The API client retries.
      retry: false,
      // Live changes make refetching users needless. The query of posts overrides this option.
      refetchOnWindowFocus: () => offer.get().changes !== 'live',
      staleTime: 10_000,
    },
  },
});

export function refetchFailed(): void {
  queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
}

export async function refresh(...queryKeys: QueryKey[]): Promise<void> {
  await Promise.all(queryKeys.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
}

/** A change of users may also change the number of matches. */
export const LISTS: QueryKey[] = [['users'], ['count']];

export const refreshLists = (): Promise<void> => refresh(...LISTS);
