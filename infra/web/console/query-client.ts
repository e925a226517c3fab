import { QueryClient } from '@tanstack/react-query';
import { offer } from './offer.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The API client retries.
      retry: false,
      // The subscription delivers changes of users. The query of posts overrides this.
      refetchOnWindowFocus: () => offer.get().changes !== 'live',
      staleTime: 10_000,
    },
  },
});
