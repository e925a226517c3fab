import { queryOptions, useQuery } from '@tanstack/react-query';
import { accessToken } from '../auth/access-token.ts';
import { queryClient } from '../query-client.ts';

/** The service does not respond. `pauseMs` until the next attempt doubles with each attempt. */
export type Outage = { reason: 'unreachable' | 'busy'; pauseMs: number };

const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;
const ATTEMPT_MS = 10_000;

/** Sent by the gateway, or by the service without its database. */
const OUTAGE_STATUSES = [502, 503, 504];

export const isOutageStatus = (status: number): boolean => status === 0 || OUTAGE_STATUSES.includes(status);

/** Data is null while the service responds. During an outage, polls until it does. */
const outageQuery = queryOptions({
  queryKey: ['outage'],
  queryFn: async (): Promise<Outage | null> => {
    const reason = await findReason();
    const before = queryClient.getQueryData(outageQuery.queryKey);
    // Repeats failed requests after the outage.
    if (before && !reason)
      queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    return reason && { reason, pauseMs: before ? Math.min(MAX_PAUSE_MS, 2 * before.pauseMs) : FIRST_PAUSE_MS };
  },
  initialData: null,
  // Fetched only on demand: see `suspectOutage`.
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnReconnect: ({ state: { data } }) => (data ? 'always' : false),
  // Also polls offline, because the service may run on this machine.
  networkMode: 'always',
});

/** `nextAt`, in ms since 1970, is the start of the next attempt; undefined while one is pending. */
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

/** Called after a failed request. Checks with a cheap request, and shows an outage if that fails, too. */
function suspectOutage(): void {
  if (!queryClient.getQueryData(outageQuery.queryKey)) queryClient.fetchQuery({ ...outageQuery, staleTime: 0 });
}

/** Sends the cheapest request. Any response but an outage status ends the outage, including 401. */
async function findReason(): Promise<Outage['reason'] | null> {
  const token = accessToken.get();
  try {
    const response = await fetch('/v1/users?limit=1', {
      // Does not wait for the renewal of an expired token, which needs the service.
      headers: token ? { authorization: `Bearer ${token}` } : {},
      cache: 'no-store',
      signal: AbortSignal.timeout(ATTEMPT_MS),
    });
    await response.body?.cancel();
    return isOutageStatus(response.status) ? 'busy' : null;
  } catch {
    return 'unreachable';
  }
}

export const watchFetch =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    try {
      const response = await send(url, init);
      // Stream limits use this status, too.
      if (isOutageStatus(response.status) && !isStream(init)) suspectOutage();
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) suspectOutage();
      throw error;
    }
  };

const isStream = (init: RequestInit | undefined): boolean =>
  new Headers(init?.headers).get('accept') === 'text/event-stream';
