import { useQuery } from '@tanstack/react-query';
import { isNotFound, type TypedDocument } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { recallName } from '../api/users.ts';

type Named = { name: string } | null;

const GET_DELETED_NAME: TypedDocument<{ userHistory: { nodes: { before: Named; after: Named }[] } }, { id: string }> =
  `query GetDeletedName($id: ID!) {
  userHistory(id: $id, first: 1) {
    nodes {
      before {
        name
      }
      after {
        name
      }
    }
  }
}`;

/** Returns null where nothing is kept, as after an erasure. */
async function findDeletedName(id: string, signal: AbortSignal): Promise<string | null> {
  try {
    const { userHistory } = await client.graphql(GET_DELETED_NAME, { id }, { signal });
    const [latest] = userHistory.nodes;
    return (latest?.before ?? latest?.after)?.name ?? null;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

/** Returns what a deleted user was called, if this page has shown the name or, if that is asked for, the history has it. */
export function useDeletedName(id: string, { isAskedFor }: { isAskedFor: boolean }): string | undefined {
  const known = recallName(id);
  const { data } = useQuery({
    queryKey: ['deleted-name', id],
    queryFn: ({ signal }) => findDeletedName(id, signal),
    enabled: isAskedFor && known === undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return known ?? data ?? undefined;
}
