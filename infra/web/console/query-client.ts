import { QueryClient } from '@tanstack/react-query';
import { offer } from './offer.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The client sends requests again while the service is busy.
      retry: false,
      // Changes arrive over the subscription, except for those of posts: their query overrides this.
      refetchOnWindowFocus: () => offer.get().changes !== 'live',
      staleTime: 10_000,
    },
  },
});
