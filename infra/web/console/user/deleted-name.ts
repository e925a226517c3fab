import { useQuery } from '@tanstack/react-query';
import { recallName } from '../api/users.ts';
import { readHistory } from './use-history.ts';

/** Returns a deleted user's name, from this page's memory or, if `isAskedFor`, from the history. */
export function useDeletedName(id: string, { isAskedFor }: { isAskedFor: boolean }): string | undefined {
  const known = recallName(id);
  const { data } = useQuery({
    queryKey: ['deleted-name', id],
    queryFn: async ({ signal }) => {
      const [latest] = (await readHistory(id, undefined, signal)).nodes;
      // The history may be empty, because an erasure removes it.
      return (latest?.before ?? latest?.after)?.name ?? null;
    },
    enabled: isAskedFor && known === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return known ?? data ?? undefined;
}
