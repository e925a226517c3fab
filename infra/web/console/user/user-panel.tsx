import { CloseButton, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { queryOptions, usePrefetchInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { getUser, type User } from '../api/users.ts';
import { useCanReadHistory, useCanWrite } from '../auth/token.ts';
import { CopyText } from '../copy-text.tsx';
import { pendingDeletions } from '../deletions.ts';
import { newUserButton, panelTitle, useRestoredFocus, userLink } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { LoadError } from '../load-error.tsx';
import { groupFields } from '../own-fields.ts';
import { closeUser } from '../route.ts';
import { useStore } from '../store.ts';
import { DeleteUser } from './delete-user.tsx';
import { useDeletedName } from './deleted-name.ts';
import { DownloadPerson } from './download-person.tsx';
import { EditUser, useEditUser } from './edit-user.tsx';
import { Fact, Facts, MemberFact } from './facts.tsx';
import { History } from './history.tsx';
import { KeptTitles } from './kept-titles.tsx';
import { MissingUser } from './missing-user.tsx';
import { NewUser } from './new-user.tsx';
import { Posts } from './posts.tsx';
import { useHistory } from './use-history.ts';
import { postsQuery } from './use-posts.ts';

const userQuery = (id: string) =>
  queryOptions({ queryKey: ['user', id], queryFn: ({ signal }) => getUser(id, signal) });

/** Names the user in the tab and the history of the browser. */
function useDocumentTitle(name: string): void {
  useEffect(() => {
    document.title = `${name} – Users`;
    return () => {
      document.title = 'Users';
    };
  }, [name]);
}

/** Shows an existing user, or the form for a new one. */
export function UserPanel({ id, headingLevel }: { id: string; headingLevel: 1 | 2 }) {
  const isNew = id === 'new';
  const canWrite = useCanWrite();
  const hasForm = isNew && canWrite;
  // The focus tells screen readers what has opened, and lets Tab continue there.
  useEffect(() => {
    // The first field of a new user has the focus.
    if (!hasForm) panelTitle.current?.focus({ preventScroll: true });
  }, [hasForm]);
  const { data: user } = useQuery({ ...userQuery(id), enabled: !isNew });
  const deletedName = useDeletedName(id, { isAskedFor: user === null });
  const name = isNew ? 'New user' : (user?.name ?? deletedName ?? 'User');
  useDocumentTitle(name);
  useRestoredFocus(userLink(id), newUserButton);
  return (
    <Stack gap="lg" p="lg">
      <Group justify="space-between" wrap="nowrap">
        <Title order={headingLevel} size="h4" ref={panelTitle} tabIndex={-1}>
          <bdi>{name}</bdi>
        </Title>
        <CloseButton aria-label="Close" onClick={() => closeUser(id)} />
      </Group>
      {hasForm && <NewUser />}
      {isNew && !canWrite && <Text>Your token can only read. Sign in with one that can write to create a user.</Text>}
      {!isNew && <ExistingUser id={id} />}
    </Stack>
  );
}

function ExistingUser({ id }: { id: string }) {
  const { data: user, error, refetch } = useQuery(userQuery(id));
  usePrefetchInfiniteQuery(postsQuery(id));
  const isDeleted = useStore(pendingDeletions).has(id);
  const canReadHistory = useCanReadHistory();
  if (isDeleted) return <MissingUser id={id} />;
  if (user === null)
    return (
      <>
        <MissingUser id={id} />
        <KeptTitles authorId={id} />
        {canReadHistory && <History id={id} isOpenAtFirst />}
        {canReadHistory && <DownloadDeleted id={id} />}
      </>
    );
  return (
    <>
      {error && <LoadError title="The user cannot be read" error={error} onRetry={refetch} />}
      {user === undefined && !error && <Skeleton height={280} role="status" aria-label="Loading the user" />}
      {user && <LoadedUser user={user} />}
    </>
  );
}

/** Nothing can be downloaded of an id that no user ever had. */
function DownloadDeleted({ id }: { id: string }) {
  const { data } = useHistory(id, null);
  const hasHistory = data !== undefined && data.entries.length > 0;
  return hasHistory ? (
    <Group>
      <DownloadPerson id={id} />
    </Group>
  ) : null;
}

function LoadedUser({ user }: { user: User }) {
  const editing = useEditUser(user);
  const { draft, save, restore } = editing;
  const canWrite = useCanWrite();
  const canReadHistory = useCanReadHistory();
  const isDisabled = draft !== undefined || save.isPending;
  return (
    <>
      {canWrite && <EditUser user={user} editing={editing} />}
      <UserFacts user={user} />
      <Posts authorId={user.id} />
      {canReadHistory && (
        <History id={user.id} restore={canWrite ? { user, isDisabled, onRestore: restore } : undefined} />
      )}
      <Group justify="space-between">
        {canReadHistory && <DownloadPerson id={user.id} />}
        {canWrite && <DeleteUser user={user} />}
      </Group>
    </>
  );
}

/** Shows what GraphQL and the headers of REST tell besides name and address. Those who can only read see no inputs. */
const UserFacts = ({ user }: { user: User }) => (
  <>
    {!useCanWrite() && <MemberFacts user={user} />}
    <ServiceFacts user={user} />
  </>
);

function MemberFacts({ user }: { user: User }) {
  const show = (member: string) => <MemberFact key={member} member={member} value={user[member]} />;
  return (
    <>
      <Facts>{['name', 'email'].map(show)}</Facts>
      {groupFields().map(({ heading, fields }) => (
        <Stack key={heading ?? ''} gap="xs">
          {heading !== undefined && (
            <Title order={2} size="h6">
              {heading}
            </Title>
          )}
          <Facts>{fields.map(({ name }) => show(name))}</Facts>
        </Stack>
      ))}
    </>
  );
}

const ServiceFacts = ({ user }: { user: User }) => (
  <Facts>
    <Fact name="Version">{user.version}</Fact>
    <Fact name="Created">
      <Time value={user.createdAt} />
    </Fact>
    <Fact name="Updated">
      <Time value={user.updatedAt} />
    </Fact>
    <Fact name="Id">
      <CopyText text={user.id} label="Copy the id" />
    </Fact>
  </Facts>
);

const Time = ({ value }: { value: string }) => (
  <time dateTime={value}>
    {formatTime(new Date(value))}{' '}
    <Text span inherit c="dimmed">
      ({formatAge(new Date(value))})
    </Text>
  </time>
);
