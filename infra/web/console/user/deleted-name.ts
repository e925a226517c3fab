import { useQuery } from '@tanstack/react-query';
import { recallName } from '../api/users.ts';
import { readHistory } from './use-history.ts';

export function useDeletedName(id: string, { isAskedFor }: { isAskedFor: boolean }): string | undefined {
  const known = recallName(id);
  const { data } = useQuery({
    queryKey: ['deleted-name', id],
    queryFn: async ({ signal }) => {
      const [latest] = (await readHistory(id, undefined, signal)).nodes;
      // Null after an erasure, which empties the history.
      return (latest?.before ?? latest?.after)?.name ?? null;
    },
    enabled: isAskedFor && known === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return known ?? data ?? undefined;
}
