import { Paper, Skeleton, Stack, type StackProps, Title } from '@mantine/core';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode, RefObject } from 'react';
import { usePassedFocus } from '../focus.ts';
import { LoadError } from '../load-error.tsx';
import { PendingButton } from '../pending-button.tsx';

type Props = { name: string; title: RefObject<HTMLHeadingElement | null>; children: ReactNode };

/** The title receives the focus of removed elements. */
export const PanelSection = ({ name, title, children, align }: Partial<Props> & Pick<StackProps, 'align'>) => (
  <Stack component="section" aria-label={name} gap="sm" align={align}>
    <Title order={2} size="h5" tabIndex={-1} ref={title}>
      {name}
    </Title>
    {children}
  </Stack>
);

type ListProps = Props & { query: UseInfiniteQueryResult; moreLabel: string; children: ReactNode[] | undefined };

export function PanelList({ name, title, query, moreLabel, children = [] }: ListProps) {
  const { error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const more = usePassedFocus(title);
  return (
    <>
      {error && <LoadError title={`The ${name} cannot be read`} error={error} onRetry={refetch} />}
      {isPending && <Skeleton height={40} role="status" aria-label={`Loading the ${name}`} />}
      {children.length > 0 && (
        <Stack component="ol" gap={6} m={0} p={0} style={{ listStyle: 'none' }}>
          {children}
        </Stack>
      )}
      {hasNextPage && (
        <PendingButton
          variant="subtle"
          size="compact-sm"
          ref={more}
          isPending={isFetchingNextPage}
          onClick={() => fetchNextPage()}
        >
          {moreLabel}
        </PendingButton>
      )}
    </>
  );
}

export const PanelItem = ({ children }: { children: ReactNode }) => (
  <Paper component="li" withBorder px="sm" py="xs">
    {children}
  </Paper>
);
