import { useQuery } from '@tanstack/react-query';
import { client } from '../api/client.ts';

const READ_AGAIN_MS = 5_000;

export const useErasure = (id: string, { enabled = true } = {}) =>
  useQuery({
    enabled,
    queryKey: ['erasure', id],
    queryFn: ({ signal }) => client.erasures.find(id, { signal }),
    refetchInterval: ({ state: { data } }) => (data && !data.completedAt ? READ_AGAIN_MS : false),
  });
