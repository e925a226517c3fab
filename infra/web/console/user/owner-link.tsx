import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { findByValue } from '../api/search.ts';
import { linkTo } from '../route.ts';

export function OwnerLink({ field, value }: { field: string; value: string }) {
  const { data: owner } = useQuery({
    queryKey: ['owner', field, value],
    queryFn: async () => (await findByValue(field, value)) ?? null,
    staleTime: 0,
  });
  if (!owner) return null;
  return (
    <>
      {': '}
      <Anchor {...linkTo({ user: owner.id })} inherit c="inherit" underline="always">
        <bdi>{owner.name}</bdi>
      </Anchor>
    </>
  );
}
