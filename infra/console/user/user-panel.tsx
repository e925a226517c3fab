import { Button, CloseButton, EmptyState, Group, Skeleton, Stack, Title } from '@mantine/core';
import { usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { getUser } from '../api/user-details.ts';
import { UsersIcon } from '../icons.tsx';
import { DeleteUser } from './delete-user.tsx';
import { EditUser } from './edit-user.tsx';
import { LoadError } from './load-error.tsx';
import { NewUser } from './new-user.tsx';
import { Posts } from './posts.tsx';
import { postsQuery } from './use-posts.ts';
import { UserFacts } from './user-facts.tsx';

type Props = { id: string; onClose: () => void };

/** An existing user, or the form for a new one. */
export function UserPanel({ id, onClose }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Tells screen readers what has opened, and lets Tab continue there.
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const isNew = id === 'new';
  return (
    <Stack gap="lg" p="lg" className="panel-content">
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h4" ref={heading} tabIndex={-1} className="panel-title">
          {isNew ? 'New user' : 'User'}
        </Title>
        <CloseButton aria-label="Close" onClick={onClose} />
      </Group>
      {isNew ? <NewUser /> : <ExistingUser id={id} onClose={onClose} />}
    </Stack>
  );
}

function ExistingUser({ id, onClose }: Props) {
  const {
    data: user,
    error,
    refetch,
  } = useQuery({ queryKey: ['user', id], queryFn: ({ signal }) => getUser(id, signal) });
  usePrefetchInfiniteQuery(postsQuery(id));
  return (
    <>
      {error && <LoadError title="The user cannot be read" error={error} onRetry={refetch} />}
      {user === undefined && !error && <PanelSkeleton />}
      {user === null && <NoSuchUser onClose={onClose} />}
      {user && (
        <>
          <EditUser user={user} />
          <UserFacts user={user} />
          <Posts authorId={id} />
          <DeleteUser user={user} />
        </>
      )}
    </>
  );
}

const NoSuchUser = ({ onClose }: Pick<Props, 'onClose'>) => (
  <EmptyState
    icon={<UsersIcon size={28} />}
    title="There is no such user"
    description="The user was deleted, or never existed."
  >
    <EmptyState.Actions>
      <Button variant="default" onClick={onClose}>
        Back to the list
      </Button>
    </EmptyState.Actions>
  </EmptyState>
);

const PanelSkeleton = () => (
  <Stack gap="md" role="status" aria-label="Loading the user">
    {[36, 40, 90, 60].map((height) => (
      <Skeleton key={height} height={height} />
    ))}
  </Stack>
);
