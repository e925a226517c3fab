import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { linkTo, navigate } from '../route.ts';
import { findByValue } from '../users/find.ts';

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
      <Anchor
        href={linkTo({ user: owner.id })}
        onClick={(event) => {
          // A modifier key makes the browser open a new tab or window.
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          navigate({ user: owner.id });
        }}
        inherit
        c="inherit"
        underline="always"
      >
        <bdi>{owner.name}</bdi>
      </Anchor>
    </>
  );
}
