import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type HistoryPage, isNotFound, type UserHistoryEntry } from '../../../../lib/client/client.ts';
import { readEarlierRecords } from '../../../transfer/person.ts';
import { findDeletedName } from '../activity/feed.ts';
import { client, connect } from '../api/client.ts';
import type { User } from '../api/users.ts';
import { useCanReadHistory } from '../auth/token.ts';
import { ownFields } from '../own-fields.ts';
import { queryClient } from '../query-client.ts';

/** A change appears in the history shortly after the write. */
const READ_AGAIN_MS = 1_000;
const MAX_READS = 10;

export type HistoryEntry = UserHistoryEntry<User>;
type Page = HistoryPage<User>;

const NO_HISTORY: Page = { since: '', entries: [] };

/** Empty for an unknown user. */
const readHistory = (id: string, after: string | undefined, signal: AbortSignal): Promise<Page> =>
  connect()
    .users.historyPage(id, { after, signal })
    .catch((error: unknown) => {
      if (isNotFound(error)) return NO_HISTORY;
      throw error;
    });

/** Undefined until the name is known. Reads the history only if `enabled`. */
export function useDeletedName(id: string, options: { enabled: boolean }): string | undefined {
  const known = findDeletedName(id);
  const { data } = useQuery({
    queryKey: ['deleted-name', id],
    queryFn: async ({ signal }) => {
      const [latest] = (await readHistory(id, undefined, signal)).entries;
      // Null after an erasure, which empties the history.
      return (latest?.before ?? latest?.after)?.name ?? null;
    },
    enabled: options.enabled && known === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return known ?? data ?? undefined;
}

/** Ids of deleted users with the same subject. Empty without a declared subject, or without the right to read histories. */
export function useEarlierRecords(id: string): readonly string[] {
  const canReadHistory = useCanReadHistory();
  const { data = [] } = useQuery({
    queryKey: ['earlier-records', id],
    queryFn: ({ signal }) => readEarlierRecords(client, id, signal),
    enabled: canReadHistory && ownFields.get().some(({ subject }) => subject),
  });
  return data;
}

type Pages = InfiniteData<Page, string | undefined>;

/** Lists the latest change first. `version` is the user's, or null after the deletion: reads again until it appears. */
export function useHistory(id: string, version: number | null) {
  const queryKey = ['history', id];
  const history = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => readHistory(id, pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => ({ entries: pages.flatMap(({ entries }) => entries), since: pages[0]?.since }),
  });
  const { data } = history;
  const isMissing = Boolean(data?.since) && !holds(data?.entries[0], version);
  useQuery({
    queryKey: ['latest-changes', id, version],
    queryFn: async ({ signal }) => {
      const latest = await readHistory(id, undefined, signal);
      queryClient.setQueryData<Pages>(queryKey, (pages) => pages && addLatest(pages, latest));
      return null;
    },
    enabled: isMissing,
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.dataUpdateCount + state.errorUpdateCount < MAX_READS ? READ_AGAIN_MS : false,
  });
  return history;
}

/** Keeps the loaded pages, unless more changes are new than a page contains. */
export function addLatest({ pages: [first, ...others], pageParams }: Pages, latest: Page): Pages {
  const known = latest.entries.findIndex(({ version, at }) => {
    const newest = first?.entries[0];
    return newest !== undefined && version === newest.version && at === newest.at;
  });
  if (!first || known < 0) return { pages: [latest], pageParams: [undefined] };
  const entries = [...latest.entries.slice(0, known), ...first.entries];
  return { pages: [{ ...first, since: latest.since, entries }, ...others], pageParams };
}

const holds = (latest: HistoryEntry | undefined, version: number | null): boolean =>
  version === null ? latest?.kind === 'DELETED' : Number(latest?.version) >= version;
