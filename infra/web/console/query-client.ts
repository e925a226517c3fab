import { QueryClient } from '@tanstack/react-query';
import { offer } from './offer.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The client itself retries while the service is busy.
      retry: false,
      // The subscription delivers changes of users. Posts have none: their query overrides this.
      refetchOnWindowFocus: () => offer.get().changes !== 'live',
      staleTime: 10_000,
    },
  },
});
