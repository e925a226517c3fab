import { QueryClient, type QueryKey } from '@tanstack/react-query';
import { offer } from './offer.ts';

/** A component that mounts within this time shows the error of an earlier request, for example of main.tsx. */
const FRESH_ERROR_MS = 1000;

export const queryClient = new QueryClient({
  defaultOptions: {
    mutations: { networkMode: 'always' },
    queries: {
      // Also sends while the browser is offline: the service may run on this machine.
      networkMode: 'always',
      refetchOnReconnect: true,
      // The API client retries.
      retry: false,
      retryOnMount: ({ state }) => Date.now() - state.errorUpdatedAt > FRESH_ERROR_MS,
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
