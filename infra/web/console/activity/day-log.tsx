import { Alert, Anchor, Button, Group, NativeSelect, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isInvalid, type UserChange } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import type { User } from '../api/users.ts';
import { ChangeBadge } from '../change-badge.tsx';
import { daysAgo, formatCount, formatTime, toDayInput, toLocalInput } from '../format.ts';
import { labelMember } from '../own-fields.ts';
import { PendingButton } from '../pending-button.tsx';
import { linkTo } from '../route.ts';
import { DeletedName } from './change-list.tsx';

type LoggedChange = UserChange<User>;

const MAX_CHANGES = 1000;

/** Maximum names of deleted users to fetch from histories. */
const MAX_NAMES = 10;

/** Returns the oldest change first. `isCut`: earlier changes of the day have expired. */
function useDayChanges(day: string) {
  const start = new Date(`${day}T00:00`);
  const end = new Date(start);
  end.setDate(end.getDate() + 1);
  const { data, ...query } = useInfiniteQuery({
    queryKey: ['day', day],
    queryFn: async ({ pageParam, signal }) => {
      const read = async (from?: string) => {
        const changes: LoggedChange[] = [];
        for await (const change of client.users.changesSince(from, { signal })) {
          if (Date.parse(change.at) >= end.getTime()) break;
          changes.push(change);
          if (changes.length === MAX_CHANGES) return { changes, next: change.cursor };
        }
        return { changes };
      };
      // The service rejects a time in the future.
      const since = new Date(Math.min(start.getTime(), Date.now())).toISOString();
      const page = await read(pageParam ?? since).catch((error: unknown) => {
        if (pageParam || !isInvalid(error)) throw error;
        return undefined;
      });
      // The service rejects a day before the oldest stored change.
      return page ? { ...page, isCut: false } : { ...(await read()), isCut: true };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    enabled: !Number.isNaN(start.getTime()),
    staleTime: 0,
  });
  const pages = data?.pages ?? [];
  const changes = pages.flatMap(({ changes }) => changes).filter(({ at }) => Date.parse(at) >= start.getTime());
  return { ...query, changes, isCut: pages[0]?.isCut ?? false };
}

export function DayLog() {
  const today = toDayInput(new Date());
  const [day, setDay] = useState(today);
  const [person, setPerson] = useState('');
  const { changes, isCut, error, hasNextPage, isFetching, isPending, fetchNextPage, refetch } = useDayChanges(day);
  const people = [...new Set(changes.map(({ by }) => by ?? UNKNOWN))].toSorted();
  const shown = changes.filter(({ by }) => person === '' || (by ?? UNKNOWN) === person);
  const names = new Map(changes.flatMap(({ id, user }) => (user ? [[id, user.name]] : [])));
  const deleted = new Set(
    shown
      .filter(({ id, user }) => !user && !names.has(id))
      .slice(0, MAX_NAMES)
      .map(({ cursor }) => cursor),
  );
  return (
    <Stack gap="xs" px="md" py="xs">
      <Group gap="xs" align="flex-end">
        <TextInput
          type="date"
          label="Day"
          size="xs"
          max={today}
          value={day}
          // Browsers report an invalid date as an empty value.
          onChange={({ currentTarget }) => currentTarget.value && setDay(currentTarget.value)}
        />
        <Button size="xs" variant="default" onClick={() => setDay(toDayInput(daysAgo(1)))}>
          Yesterday
        </Button>
        <NativeSelect
          label="Person"
          size="xs"
          maw="14rem"
          value={person}
          data={[
            { value: '', label: 'Everybody' },
            ...[...new Set([...people, ...(person ? [person] : [])])].map((by) => ({ value: by, label: by })),
          ]}
          onChange={({ currentTarget }) => setPerson(currentTarget.value)}
        />
        <PendingButton size="xs" variant="default" isPending={isFetching} onClick={() => refetch()}>
          Read again
        </PendingButton>
      </Group>
      {error && (
        <Alert color="red" p="xs">
          {error.message}
        </Alert>
      )}
      <Text size="sm" c="dimmed" role="status">
        {isPending ? 'Reading' : `${formatCount(shown.length, 'change')}, earliest first.`}
        {isCut && ' The service keeps no earlier changes.'}
      </Text>
      {isPending && !error && <Skeleton height={60} />}
      {shown.length > 0 && (
        <Stack component="ol" gap={0} m={0} p={0} aria-label="Changes of the day, earliest first">
          {shown.map((change) => (
            <ChangeOfDay
              key={change.cursor}
              change={change}
              name={change.user?.name ?? names.get(change.id)}
              readsName={deleted.has(change.cursor)}
            />
          ))}
        </Stack>
      )}
      {hasNextPage && !isFetching && (
        <Button size="compact-sm" variant="default" mr="auto" onClick={() => fetchNextPage()}>
          Read further changes of the day
        </Button>
      )}
    </Stack>
  );
}

const UNKNOWN = 'unknown';

type RowProps = { change: LoggedChange; name: string | undefined; readsName: boolean };

function ChangeOfDay({ change: { kind, id, at, by, changed }, name, readsName }: RowProps) {
  return (
    <Group component="li" gap="0 0.75rem" py={5} fz="sm" style={{ borderBottom: '1px solid var(--edge)' }}>
      <Text component="time" inherit c="dimmed" dateTime={at} title={formatTime(new Date(at))} ff="monospace">
        {toLocalInput(at).slice(11, 16)}
      </Text>
      <ChangeBadge kind={kind} w={86} />
      <Anchor {...linkTo({ user: id, tab: 'history' })} inherit c="inherit" style={{ overflowWrap: 'anywhere' }}>
        {name ? <bdi>{name}</bdi> : <DeletedName id={id} enabled={readsName} />}
      </Anchor>
      {kind === 'UPDATED' && changed.length > 0 && (
        <Text span inherit>
          {changed.map(labelMember).join(', ')} changed
        </Text>
      )}
      <Text span inherit c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        by {by ? <bdi>{by}</bdi> : 'an unknown caller'}
      </Text>
    </Group>
  );
}
