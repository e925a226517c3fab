import { Alert, Button, CloseButton, EmptyState, Group, Skeleton, Stack, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { getUser } from '../api/user-details.ts';
import { UsersIcon } from '../icons.tsx';
import { DeleteUser } from './delete-user.tsx';
import { EditUser } from './edit-user.tsx';
import { NewUser } from './new-user.tsx';
import { Posts } from './posts.tsx';
import { UserFacts } from './user-facts.tsx';

const POSTS_PER_PAGE = 20;

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
  const [shownPosts, setShownPosts] = useState(POSTS_PER_PAGE);
  const {
    data: user,
    error,
    refetch,
  } = useQuery({
    queryKey: ['user', id, shownPosts],
    queryFn: ({ signal }) => getUser(id, shownPosts, signal),
    placeholderData: keepPreviousData,
  });
  if (error)
    return (
      <Alert color="red" title="The user cannot be shown">
        {error.message}
        <Button mt="sm" size="xs" variant="default" display="block" onClick={() => refetch()}>
          Try again
        </Button>
      </Alert>
    );
  if (user === undefined) return <PanelSkeleton />;
  if (user === null)
    return (
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
  return (
    <>
      <EditUser user={user} />
      <UserFacts user={user} />
      <Posts
        user={user}
        hasMore={user.posts.length === shownPosts}
        onShowMore={() => setShownPosts((n) => n + POSTS_PER_PAGE)}
      />
      <DeleteUser user={user} />
    </>
  );
}

const PanelSkeleton = () => (
  <Stack gap="md" role="status" aria-label="Loading the user">
    {[36, 40, 90, 60].map((height) => (
      <Skeleton key={height} height={height} />
    ))}
  </Stack>
);
