import { queryOptions, useQuery } from '@tanstack/react-query';
import { accessToken } from '../auth/access-token.ts';
import { queryClient, refetchFailed } from '../query-client.ts';

/** `pauseMs` doubles with each attempt. */
export type Outage = { reason: 'offline' | 'unreachable' | 'busy'; pauseMs: number };

const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;
const ATTEMPT_MS = 10_000;

/** The gateway sends these, or the service if its database does not respond. */
const OUTAGE_STATUSES = [502, 503, 504];

export const isOutageStatus = (status: number): boolean => status === 0 || OUTAGE_STATUSES.includes(status);

/** Null while the service responds. */
const outageQuery = queryOptions({
  queryKey: ['outage'],
  queryFn: async (): Promise<Outage | null> => {
    const reason = await findReason();
    const before = queryClient.getQueryData(outageQuery.queryKey);
    if (before && !reason) refetchFailed();
    return reason && { reason, pauseMs: before ? Math.min(MAX_PAUSE_MS, 2 * before.pauseMs) : FIRST_PAUSE_MS };
  },
  initialData: null,
  // Only `suspectOutage` starts the query.
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnReconnect: ({ state: { data } }) => (data ? 'always' : false),
});

/** `nextAt` is in ms. Undefined during an attempt. */
export function useOutage() {
  const { data, dataUpdatedAt, isFetching } = useQuery({
    ...outageQuery,
    refetchInterval: ({ state }) => state.data?.pauseMs ?? false,
    refetchIntervalInBackground: true,
  });
  return data ? { reason: data.reason, nextAt: isFetching ? undefined : dataUpdatedAt + data.pauseMs } : undefined;
}

export const useIsOutage = (): boolean => useQuery(outageQuery).data !== null;

export const retryNow = (): Promise<void> => queryClient.refetchQueries({ queryKey: outageQuery.queryKey });

function suspectOutage(): void {
  if (!queryClient.getQueryData(outageQuery.queryKey)) queryClient.fetchQuery({ ...outageQuery, staleTime: 0 });
}

/** Any status ends the outage, including 401, except OUTAGE_STATUSES. */
async function findReason(): Promise<Outage['reason'] | null> {
  const token = accessToken.get();
  try {
    const response = await fetch('/v1/users?limit=1', {
      // Does not renew an expired token, which would need the service.
      headers: token ? { authorization: `Bearer ${token}` } : {},
      cache: 'no-store',
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    await response.body?.cancel();
    return isOutageStatus(response.status) ? 'busy' : null;
  } catch {
    // A service on this machine also answers without a network.
    return navigator.onLine ? 'unreachable' : 'offline';
  }
}

addEventListener('offline', suspectOutage);

export const watchFetch =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    try {
      const response = await send(url, init);
      // Ignores streams, because too many open ones also cause 503.
      if (isOutageStatus(response.status) && !isStream(init)) suspectOutage();
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) suspectOutage();
      throw error;
    }
  };

const isStream = (init: RequestInit | undefined): boolean =>
  new Headers(init?.headers).get('accept') === 'text/event-stream';
