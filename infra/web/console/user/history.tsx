import { Badge, Button, DataList, Group, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useRef, useState } from 'react';
import { Address } from '../address.tsx';
import type { HistoryEntry } from '../api/history.ts';
import type { User, UserInput } from '../api/users.ts';
import classes from '../bordered-list.module.css';
import { type Target, useFocusAfter, usePassedFocus } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { LoadError } from '../load-error.tsx';
import { formatMember, labelMember } from '../own-fields.ts';
import { isSaved, pickInput } from './drafts.ts';
import { useHistory } from './use-history.ts';

type Restore = {
  user: User;
  /** A draft or a save that is under way comes first. */
  isDisabled: boolean;
  onRestore: (input: UserInput) => void;
};

type Props = { id: string; restore?: Restore };
/** The history of a deleted user is open at first: there is nothing else to see. */
type HistoryProps = Props & { isOpenAtFirst?: boolean };

/** Shows who has changed a user, when and what; an earlier version of a user who exists can be restored. */
export function History({ id, restore, isOpenAtFirst = false }: HistoryProps) {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const title = useRef<HTMLHeadingElement>(null);
  return (
    <section aria-label="History">
      <Stack gap="sm" align="stretch">
        <Title order={2} size="h5" tabIndex={-1} ref={title}>
          History
        </Title>
        {isOpen ? (
          <Entries id={id} title={title} {...(restore ? { restore } : {})} />
        ) : (
          <OpenButton title={title} onClick={() => setOpen(true)} />
        )}
      </Stack>
    </section>
  );
}

/** Reading a history costs as much as reading some users, so it waits until somebody asks for it. */
function OpenButton({ title, onClick }: { title: Target; onClick: () => void }) {
  const button = usePassedFocus<HTMLButtonElement>(title);
  return (
    <Button ref={button} variant="default" size="compact-sm" style={{ alignSelf: 'start' }} onClick={onClick}>
      Show who changed what
    </Button>
  );
}

function Entries({ id, title, restore }: Props & { title: Target }) {
  const more = useRef<HTMLButtonElement>(null);
  const { entries, since, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useHistory(
    id,
    restore?.user.version ?? null,
  );
  useFocusAfter(isFetchingNextPage, more, title);
  return (
    <>
      {error && <LoadError title="The history cannot be read" error={error} onRetry={refetch} />}
      {entries === undefined && !error && <Skeleton height={40} role="status" aria-label="Loading the history" />}
      {entries !== undefined && entries.length > 0 && (
        <ol className={classes.list}>
          {entries.map((entry) => (
            <Entry key={`${entry.version} ${entry.at}`} entry={entry} {...(restore ? { restore } : {})} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button
          variant="subtle"
          size="compact-sm"
          ref={more}
          loading={isFetchingNextPage}
          onClick={() => fetchNextPage()}
        >
          Show earlier changes
        </Button>
      )}
      {entries !== undefined && !hasNextPage && (
        <Text c="dimmed" size="sm">
          {since ? `Changes are kept since ${formatTime(new Date(since))}.` : 'No changes are kept.'}
        </Text>
      )}
    </>
  );
}

const COLORS: Record<HistoryEntry['kind'], string> = { CREATED: 'teal', UPDATED: 'indigo', DELETED: 'red' };
const LABELS: Record<HistoryEntry['kind'], string> = { CREATED: 'Created', UPDATED: 'Updated', DELETED: 'Deleted' };

function Entry({ entry, restore }: { entry: HistoryEntry; restore?: Restore }) {
  const { kind, at, by, version, before, after, changed } = entry;
  const time = new Date(at);
  const isRestorable = restore && after && !isSaved(pickInput(after), restore.user);
  return (
    <Stack component="li" gap={6} align="flex-start">
      <Group gap="xs" w="100%">
        <Badge variant="light" color={COLORS[kind]}>
          {LABELS[kind]}
        </Badge>
        <Text component="time" size="sm" dateTime={at} title={formatTime(time)}>
          {formatAge(time)}
        </Text>
        {version !== null && (
          <Text span size="sm" c="dimmed" ml="auto">
            Version {version}
          </Text>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        by {by ? <bdi>{by}</bdi> : 'an unknown caller'}
      </Text>
      <DataList labelWidth="5rem" gap={3}>
        {changed.map((member) => (
          <Difference key={member} member={member} before={before} after={after} />
        ))}
      </DataList>
      {isRestorable && (
        <Button
          variant="default"
          size="compact-sm"
          disabled={restore.isDisabled}
          title={restore.isDisabled ? 'Save or discard your changes first' : undefined}
          onClick={() => restore.onRestore(pickInput(after))}
        >
          Restore version {version}
        </Button>
      )}
    </Stack>
  );
}

type DifferenceProps = { member: string; before: User | null; after: User | null };

/** Screen readers read deleted and inserted text as such in some browsers only, so that the words are there, too. */
function Difference({ member, before, after }: DifferenceProps) {
  const [old, current] = [formatMember(member, before?.[member]), formatMember(member, after?.[member])];
  return (
    <DataList.Item>
      <DataList.ItemLabel>{labelMember(member)}</DataList.ItemLabel>
      <DataList.ItemValue miw={0}>
        {old && (
          <Text component="del" inherit px={4} mr="xs" bg="light-dark(#fbe9e9, #3d2427)">
            <VisuallyHidden>from </VisuallyHidden>
            <Address value={old} />
          </Text>
        )}
        {current && (
          <Text component="ins" inherit px={4} td="none" bg="light-dark(#e3f4ea, #1d3527)">
            <VisuallyHidden>to </VisuallyHidden>
            <Address value={current} />
          </Text>
        )}
      </DataList.ItemValue>
    </DataList.Item>
  );
}
