import { Anchor, Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { DeletedUser, User } from '../../../../lib/client/client.ts';
import { Address } from '../address.tsx';
import { client } from '../api/client.ts';
import { useCanErase, useCanWrite } from '../auth/token.ts';
import { type Target, usePassedFocus } from '../focus.ts';
import { formatAge, formatCount, formatTime } from '../format.ts';
import { LoadError } from '../load-error.tsx';
import { PendingButton } from '../pending-button.tsx';
import { linkTo } from '../route.ts';
import { FormError } from '../user/form-messages.tsx';
import { useRestore } from '../user/restore-user.tsx';
import { useReadAgain } from './use-read-again.ts';

/** Empty pages to skip, each of 5,000 other changes, before the person decides whether to search on. */
const MAX_EMPTY_PAGES = 5;

async function readPage(after: string | undefined, signal: AbortSignal) {
  let next = after;
  for (let pages = 1; ; pages++) {
    const page = await client.users.deletedPage({ after: next, limit: 50, signal });
    next = page.next;
    if (page.deleted.length > 0 || next === undefined || pages === MAX_EMPTY_PAGES)
      return { users: page.deleted, next };
  }
}

export function DeletedUsers() {
  const readAgain = useRef<HTMLButtonElement>(null);
  const { data, error, hasNextPage, isFetching, isPending, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: ['deleted-users'],
    queryFn: ({ pageParam, signal }) => readPage(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  });
  useReadAgain(
    () => void refetch(),
    ({ kind }) => kind !== 'UPDATED',
  );
  const users = data?.pages.flatMap((page) => page.users) ?? [];
  return (
    <Stack gap="xs" px="md" py="xs">
      <Group gap="xs">
        <PendingButton
          ref={readAgain}
          size="compact-sm"
          variant="default"
          isPending={isFetching}
          onClick={() => refetch()}
        >
          Read again
        </PendingButton>
        <Text size="sm" c="dimmed" role="status">
          {isPending
            ? 'Reading'
            : `${describeCount(users.length, hasNextPage)} can be restored, latest deletion first.`}
        </Text>
      </Group>
      {error && <LoadError title="The deleted users cannot be read" error={error} onRetry={refetch} />}
      {isPending && <Skeleton height={60} />}
      {users.length > 0 && (
        <Stack component="ol" gap={0} m={0} p={0} aria-label="Deleted users, latest deletion first">
          {users.map((deleted) => (
            <DeletedRow key={deleted.user.id} deleted={deleted} fallback={readAgain} />
          ))}
        </Stack>
      )}
      {hasNextPage && !isFetching && (
        <Button size="compact-sm" variant="default" mr="auto" onClick={() => fetchNextPage()}>
          Show earlier deletions
        </Button>
      )}
    </Stack>
  );
}

const describeCount = (count: number, hasMore: boolean): string =>
  `${formatCount(count, 'user')}${hasMore ? ' or more' : ''}`;

function DeletedRow({ deleted, fallback }: { deleted: DeletedUser<User>; fallback: Target }) {
  const { user, at, by, restorableUntil, mergedInto } = deleted;
  const { id, name, email } = user;
  const canWrite = useCanWrite();
  const canErase = useCanErase();
  const restore = useRestore(id, name, mergedInto);
  const button = usePassedFocus(fallback);
  return (
    <Group component="li" gap="0 0.75rem" py={5} fz="sm" style={{ borderBottom: '1px solid var(--edge)' }}>
      <Text inherit flex="1 1 16rem" style={{ overflowWrap: 'anywhere' }}>
        <Anchor {...linkTo({ user: id, tab: 'history' })} inherit c="inherit">
          <bdi>{name}</bdi>
        </Anchor>{' '}
        <Text span inherit c="dimmed">
          <Address value={email} />
        </Text>
      </Text>
      <Text inherit c="dimmed" flex="1 1 16rem" style={{ overflowWrap: 'anywhere' }}>
        {mergedInto ? 'merged' : 'deleted'}{' '}
        <time dateTime={at} title={formatTime(new Date(at))}>
          {formatAge(new Date(at))}
        </time>{' '}
        by {by ? <bdi>{by}</bdi> : 'an unknown caller'}, restorable until{' '}
        <time dateTime={restorableUntil}>{formatTime(new Date(restorableUntil))}</time>
      </Text>
      <Group gap="xs" miw="8.5rem" justify="flex-end">
        {canErase && (
          <Anchor {...linkTo({ user: id, tab: 'privacy' })} aria-label={`Erase ${name}`} inherit c="red">
            Erase
          </Anchor>
        )}
        {canWrite && (
          <PendingButton
            ref={button}
            size="compact-sm"
            variant="default"
            aria-label={`${mergedInto ? 'Undo the merge of' : 'Restore'} ${name}`}
            isPending={restore.isPending}
            onClick={() => restore.mutate()}
          >
            {mergedInto ? 'Undo the merge' : 'Restore'}
          </PendingButton>
        )}
      </Group>
      <FormError message={restore.error?.message} />
    </Group>
  );
}
