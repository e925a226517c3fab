import { QueryClient } from '@tanstack/react-query';
import { offer } from './offer.ts';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The API client retries.
      retry: false,
      // Live changes make refetching users needless. The query of posts overrides this option.
      refetchOnWindowFocus: () => offer.get().changes !== 'live',
      staleTime: 10_000,
    },
  },
});
