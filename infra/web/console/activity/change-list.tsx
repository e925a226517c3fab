import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { IconClock, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { memo } from 'react';
import { Address } from '../address.tsx';
import { ChangeBadge } from '../change-badge.tsx';
import { CopyIcon } from '../copy-text.tsx';
import { formatCount, formatMoment, formatTime } from '../format.ts';
import { PendingButton } from '../pending-button.tsx';
import { navigate } from '../route.ts';
import { useStore } from '../store.ts';
import { useDeletedName } from '../user/use-history.ts';
import { feed as feedStore, type ListedChange, readLastHour } from './feed.ts';
import type { useChangeFeed } from './use-change-feed.ts';

/** Only the latest rows fetch the name of a deleted user, because thousands can be deleted at once. */
const NAMED = 10;

export function ChangeList({ feed }: { feed: ReturnType<typeof useChangeFeed> }) {
  const { changes, dropped, cursor, status, error } = useStore(feedStore);
  const lastHour = useMutation({ mutationFn: readLastHour });
  // Rows of earlier days show their date, so midnight changes them.
  const today = new Date().setHours(0, 0, 0, 0);
  const isPaused = status === 'paused' || status === 'failed';
  return (
    <>
      <Group px="md" py="xs" gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={isPaused ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
          onClick={isPaused ? feed.resume : feed.pause}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <PendingButton
          size="compact-sm"
          variant="default"
          leftSection={<IconClock size={14} />}
          isPending={lastHour.isPending}
          onClick={() => lastHour.mutate()}
        >
          Show the last hour
        </PendingButton>
        {cursor && <CopyIcon text={cursor} what="the cursor of the latest change" />}
      </Group>
      {(error ?? lastHour.error) && (
        <Alert color="red" m="sm" p="xs">
          {error ?? lastHour.error?.message}
        </Alert>
      )}
      {changes.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          Changes of users appear here as they happen. The service keeps them for 24 hours.
        </Text>
      ) : (
        <Stack component="ol" gap={0} m={0} px="md" pb="sm" pt={0} aria-label="Changes, latest first">
          {changes.map((change, at) => (
            <ChangeRow key={change.cursor} change={change} today={today} isLatest={at < NAMED} />
          ))}
        </Stack>
      )}
      {dropped > 0 && (
        <Text c="dimmed" size="sm" px="md" pb="sm">
          Only the latest {changes.length} of {formatCount(changes.length + dropped, 'change')} are shown.
        </Text>
      )}
    </>
  );
}

type RowProps = { change: ListedChange; today: number; isLatest: boolean };

const ChangeRow = memo(({ change: { kind, id, at, user, name = user?.name }, today, isLatest }: RowProps) => (
  <Group component="li" gap="sm" wrap="nowrap" py={5} fz="sm">
    <ChangeBadge kind={kind} w={86} />
    <Text inherit flex={1} style={{ overflowWrap: 'anywhere' }}>
      <Anchor component="button" type="button" inherit c="inherit" ta="start" onClick={() => navigate({ user: id })}>
        {name ? <bdi>{name}</bdi> : <DeletedName id={id} enabled={isLatest} />}
      </Anchor>{' '}
      {user && (
        <Text span inherit c="dimmed" visibleFrom="sm">
          <Address value={user.email} />
        </Text>
      )}
    </Text>
    {user && (
      <Text span inherit c="dimmed" visibleFrom="sm">
        Version {user.version}
      </Text>
    )}
    <Text component="time" inherit c="dimmed" dateTime={at} title={formatTime(new Date(at))}>
      {formatMoment(new Date(at), new Date(today))}
    </Text>
  </Group>
));

/** Shows the id until the name is known. Reads the history only if `enabled`. */
export function DeletedName({ id, enabled }: { id: string; enabled: boolean }) {
  const name = useDeletedName(id, { enabled });
  return name === undefined ? <code>{id}</code> : <bdi>{name}</bdi>;
}
