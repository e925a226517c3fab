import { useInfiniteQuery } from '@tanstack/react-query';
import { isNotFound } from '../../../../lib/client/client.ts';
import { getHistory, type HistoryEntry } from '../api/history.ts';

/** A change is in the history a moment after the write. */
const READ_AGAIN_MS = 1_000;
const MAX_READS = 10;

/** Reads the history of a user, latest first, again until it has the version that is shown; null is a deleted user. */
export function useHistory(id: string, version: number | null) {
  const { data, error, ...query } = useInfiniteQuery({
    queryKey: ['history', id, version],
    queryFn: ({ pageParam, signal }) => getHistory(id, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: (shown) => shown,
    retry: false,
    refetchInterval: ({ state }) => {
      const isMissing = state.data !== undefined && !holds(state.data.pages[0]?.nodes[0], version);
      return isMissing && state.dataUpdateCount < MAX_READS ? READ_AGAIN_MS : false;
    },
  });
  return {
    ...query,
    // There may never have been such a user.
    error: isNotFound(error) ? null : error,
    entries: isNotFound(error) ? [] : data?.pages.flatMap(({ nodes }) => nodes),
    since: data?.pages[0]?.since,
  };
}

const holds = (latest: HistoryEntry | undefined, version: number | null): boolean =>
  version === null ? latest?.kind === 'DELETED' : Number(latest?.version) >= version;
