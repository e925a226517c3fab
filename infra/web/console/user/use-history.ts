import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { isNotFound } from '../../../../lib/client/client.ts';
import { readEarlierRecords } from '../../../transfer/person.ts';
import { client } from '../api/client.ts';
import { getHistory, type HistoryEntry, type HistoryPage } from '../api/history.ts';
import { recallName } from '../api/users.ts';
import { ownFields } from '../own-fields.ts';

/** A change appears in the history shortly after the write. */
const READ_AGAIN_MS = 1_000;
const MAX_READS = 10;

const NO_HISTORY: HistoryPage = { since: '', nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };

/** Empty for an unknown user. */
const readHistory = (id: string, after: string | undefined, signal: AbortSignal): Promise<HistoryPage> =>
  getHistory(id, after, signal).catch((error: unknown) => {
    if (isNotFound(error)) return NO_HISTORY;
    throw error;
  });

/** Undefined until the name is known. Reads the history only if `enabled`. */
export function useDeletedName(id: string, options: { enabled: boolean }): string | undefined {
  const known = recallName(id);
  const { data } = useQuery({
    queryKey: ['deleted-name', id],
    queryFn: async ({ signal }) => {
      const [latest] = (await readHistory(id, undefined, signal)).nodes;
      // Null after an erasure, which empties the history.
      return (latest?.before ?? latest?.after)?.name ?? null;
    },
    enabled: options.enabled && known === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return known ?? data ?? undefined;
}

/** Ids of deleted users with the same subject. Empty without a declared subject. */
export function useEarlierRecords(id: string): readonly string[] {
  const { data = [] } = useQuery({
    queryKey: ['earlier-records', id],
    queryFn: ({ signal }) => readEarlierRecords(client, id, signal),
    enabled: ownFields.get().some(({ subject }) => subject),
  });
  return data;
}

/** Lists the latest change first. Reads again until it contains `version`, or the deletion if `version` is null. */
export const useHistory = (id: string, version: number | null) =>
  useInfiniteQuery({
    queryKey: ['history', id, version],
    queryFn: ({ pageParam, signal }) => readHistory(id, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pageInfo }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    select: ({ pages }) => ({ entries: pages.flatMap(({ nodes }) => nodes), since: pages[0]?.since }),
    placeholderData: (shown) => shown,
    refetchInterval: ({ state }) => {
      const latest = state.data?.pages[0];
      const isMissing = latest !== undefined && latest !== NO_HISTORY && !holds(latest.nodes[0], version);
      return isMissing && state.dataUpdateCount < MAX_READS ? READ_AGAIN_MS : false;
    },
  });

const holds = (latest: HistoryEntry | undefined, version: number | null): boolean =>
  version === null ? latest?.kind === 'DELETED' : Number(latest?.version) >= version;
