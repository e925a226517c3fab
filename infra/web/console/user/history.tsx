import { Badge, Button, Skeleton, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { Address } from '../address.tsx';
import type { HistoryEntry } from '../api/history.ts';
import type { User, UserInput } from '../api/users.ts';
import { useFocusAfter, usePassedFocus } from '../focus.ts';
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
  return (
    <section aria-label="History">
      <Stack gap="sm" align="stretch">
        <Title order={2} size="h5" tabIndex={-1} className="history-title">
          History
        </Title>
        {isOpen ? <Entries id={id} {...(restore ? { restore } : {})} /> : <OpenButton onClick={() => setOpen(true)} />}
      </Stack>
    </section>
  );
}

/** Reading a history costs as much as reading some users, so it waits until somebody asks for it. */
function OpenButton({ onClick }: { onClick: () => void }) {
  const button = usePassedFocus<HTMLButtonElement>('.history-title');
  return (
    <Button ref={button} variant="default" size="compact-sm" className="history-open" onClick={onClick}>
      Show who changed what
    </Button>
  );
}

function Entries({ id, restore }: Props) {
  const { entries, since, error, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useHistory(
    id,
    restore?.user.version ?? null,
  );
  useFocusAfter(isFetchingNextPage, hasNextPage ? '.history-more' : '.history-title');
  return (
    <>
      {error && <LoadError title="The history cannot be read" error={error} onRetry={refetch} />}
      {entries === undefined && !error && <Skeleton height={40} role="status" aria-label="Loading the history" />}
      {entries !== undefined && entries.length > 0 && (
        <ol className="history">
          {entries.map((entry) => (
            <Entry key={`${entry.version} ${entry.at}`} entry={entry} {...(restore ? { restore } : {})} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <Button
          variant="subtle"
          size="compact-sm"
          className="history-more"
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
    <li>
      <div className="history-head">
        <Badge variant="light" color={COLORS[kind]}>
          {LABELS[kind]}
        </Badge>
        <time dateTime={at} title={formatTime(time)}>
          {formatAge(time)}
        </time>
        {version !== null && <span className="history-version">Version {version}</span>}
      </div>
      <div className="history-by">by {by ? <bdi>{by}</bdi> : 'an unknown caller'}</div>
      <dl className="history-values">
        {changed.map((member) => (
          <Difference key={member} member={member} before={before} after={after} />
        ))}
      </dl>
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
    </li>
  );
}

type DifferenceProps = { member: string; before: User | null; after: User | null };

/** Screen readers read deleted and inserted text as such in some browsers only, so that the words are there, too. */
function Difference({ member, before, after }: DifferenceProps) {
  const [old, current] = [formatMember(member, before?.[member]), formatMember(member, after?.[member])];
  return (
    <div>
      <dt>{labelMember(member)}</dt>
      <dd>
        {old && (
          <del>
            <VisuallyHidden>from </VisuallyHidden>
            <Address value={old} />
          </del>
        )}
        {current && (
          <ins>
            <VisuallyHidden>to </VisuallyHidden>
            <Address value={current} />
          </ins>
        )}
      </dd>
    </div>
  );
}
