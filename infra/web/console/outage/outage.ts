import { queryOptions, useQuery } from '@tanstack/react-query';
import { accessToken } from '../auth/access-token.ts';
import { queryClient } from '../query-client.ts';

/** The service does not answer. It is asked again after a pause, which is longer after each attempt. */
export type Outage = { reason: 'unreachable' | 'busy'; pauseMs: number };

const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;
const ATTEMPT_MS = 10_000;

/** The gateway, or the service without its database, answers so. Too many streams are no outage. */
const OUTAGE_STATUSES = [502, 503, 504];

export const isOutageStatus = (status: number): boolean => status === 0 || OUTAGE_STATUSES.includes(status);

/** It is null as long as the service answers, and is asked again until it does. */
const outageQuery = queryOptions({
  queryKey: ['outage'],
  queryFn: async (): Promise<Outage | null> => {
    const reason = await findReason();
    const before = queryClient.getQueryData(outageQuery.queryKey);
    // What has failed meanwhile is read again, without a click.
    if (before && !reason)
      queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
    return reason && { reason, pauseMs: before ? Math.min(MAX_PAUSE_MS, 2 * before.pauseMs) : FIRST_PAUSE_MS };
  },
  initialData: null,
  // A request that fails asks first: see `suspectOutage`.
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnReconnect: ({ state: { data } }) => (data ? 'always' : false),
  // The service may run on this machine, which may be offline.
  networkMode: 'always',
});

/** Returns undefined if the service answers. The next attempt to reach it begins at `nextAt`, in ms since 1970; while one is under way, there is none. */
export function useOutage() {
  const { data, dataUpdatedAt, isFetching } = useQuery({
    ...outageQuery,
    refetchInterval: ({ state }) => state.data?.pauseMs ?? false,
    refetchIntervalInBackground: true,
  });
  return data ? { reason: data.reason, nextAt: isFetching ? undefined : dataUpdatedAt + data.pauseMs } : undefined;
}

export const useIsOutage = (): boolean => useQuery(outageQuery).data !== null;

/** Makes the next attempt at once. */
export const retryNow = (): Promise<void> => queryClient.refetchQueries({ queryKey: outageQuery.queryKey });

/** A request has failed. Unless the service answers another one, its outage is shown until it does. */
function suspectOutage(): void {
  if (!queryClient.getQueryData(outageQuery.queryKey)) queryClient.fetchQuery({ ...outageQuery, staleTime: 0 });
}

/** Asks the service for as little as there is. Any other answer, such as to a missing token, ends the outage. */
async function findReason(): Promise<Outage['reason'] | null> {
  const token = accessToken.get();
  try {
    const response = await fetch('/v1/users?limit=1', {
      // An expired token is renewed once the service answers.
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

/** A fetch that notices when the service does not answer. */
export const watchFetch =
  (send: typeof fetch): typeof fetch =>
  async (url, init) => {
    try {
      const response = await send(url, init);
      // The limits of streams have this status, too.
      if (isOutageStatus(response.status) && !isStream(init)) suspectOutage();
      return response;
    } catch (error) {
      if (!init?.signal?.aborted) suspectOutage();
      throw error;
    }
  };

const isStream = (init: RequestInit | undefined): boolean =>
  new Headers(init?.headers).get('accept') === 'text/event-stream';
