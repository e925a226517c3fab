import { Alert, Badge, Button, Group, Text } from '@mantine/core';
import { memo } from 'react';
import { CopyText } from '../copy-text.tsx';
import { formatMoment, formatTime } from '../format.ts';
import { ClockIcon, PauseIcon, PlayIcon } from '../icons.tsx';
import { navigate } from '../route.ts';
import { useStore } from '../store.ts';
import { type Change, feed } from './feed.ts';

type Props = { onPause: () => void; onResume: () => void; onShowLastHour: () => void };

export function ChangeList({ onPause, onResume, onShowLastHour }: Props) {
  const { changes, cursor, status, error } = useStore(feed);
  // Rows of earlier days show their date, and are rendered again when another day has begun.
  const today = new Date().setHours(0, 0, 0, 0);
  const isPaused = status === 'paused' || status === 'failed';
  return (
    <>
      <Group className="dock-tools" gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={isPaused ? <PlayIcon size={14} /> : <PauseIcon size={14} />}
          onClick={isPaused ? onResume : onPause}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button size="compact-sm" variant="default" leftSection={<ClockIcon size={14} />} onClick={onShowLastHour}>
          Show the last hour
        </Button>
        {cursor && (
          <Group gap={6} className="cursor" wrap="nowrap">
            <Text size="sm" c="dimmed">
              Cursor
            </Text>
            <CopyText text={cursor} label="Copy the cursor" />
          </Group>
        )}
      </Group>
      {error && (
        <Alert color="red" m="sm" p="xs">
          {error}
        </Alert>
      )}
      {changes.length === 0 ? (
        <Text c="dimmed" size="sm" p="md">
          Changes of users appear here as they happen. The service keeps them for 24 hours.
        </Text>
      ) : (
        <ol className="changes" aria-label="Changes, latest first">
          {changes.map((change) => (
            <ChangeRow key={change.cursor} change={change} today={today} />
          ))}
        </ol>
      )}
    </>
  );
}

const COLORS: Record<Change['kind'], string> = { CREATED: 'teal', UPDATED: 'indigo', DELETED: 'red' };
const LABELS: Record<Change['kind'], string> = { CREATED: 'Created', UPDATED: 'Updated', DELETED: 'Deleted' };

type RowProps = { change: Change; today: number };

const ChangeRow = memo(({ change: { kind, id, at, user }, today }: RowProps) => (
  <li className="change">
    <Badge variant="light" color={COLORS[kind]} w={86}>
      {LABELS[kind]}
    </Badge>
    <span className="change-user">
      {user ? (
        <>
          <button type="button" className="text-button" onClick={() => navigate({ user: id })}>
            {user.name}
          </button>{' '}
          <span className="change-email">{user.email}</span>
        </>
      ) : (
        <code>{id}</code>
      )}
    </span>
    <span className="change-version">{user ? `Version ${user.version}` : ''}</span>
    <time dateTime={at} title={formatTime(new Date(at))}>
      {formatMoment(new Date(at), new Date(today))}
    </time>
  </li>
));
