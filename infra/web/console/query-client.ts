import { QueryClient } from '@tanstack/react-query';
import { offer } from './offer.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The API client already retries while the service is busy.
      retry: false,
      // Not needed if the subscription delivers changes of users. Posts have no subscription, so their query overrides
      // this.
      refetchOnWindowFocus: () => offer.get().changes !== 'live',
      staleTime: 10_000,
    },
  },
});
