import { QueryClient } from '@tanstack/react-query';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // The client sends requests again while the service is busy.
      retry: false,
      // Changes arrive over the subscription, except for those of posts: their query overrides this.
      refetchOnWindowFocus: false,
      staleTime: 10_000,
    },
  },
});
