import {
  Alert,
  CloseButton,
  ColorSwatch,
  Group,
  Skeleton,
  Stack,
  Tabs,
  Text,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { isBlocking } from '../../../../lib/users/fields/declaration.ts';
import type { User } from '../api/users.ts';
import { useCanErase, useCanReadHistory, useCanWrite } from '../auth/token.ts';
import { CopyText } from '../copy-text.tsx';
import { pendingDeletions } from '../deletions.ts';
import { newUserButton, panelTitle, useRestoredFocus, userLink } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { LoadError } from '../load-error.tsx';
import { offer } from '../offer.ts';
import { formatMember, groupFields, labelMember, ownFields } from '../own-fields.ts';
import { closeUser, navigate, useRoute } from '../route.ts';
import { userQuery } from '../shown-users.ts';
import { useStore } from '../store.ts';
import { useDocumentTitle } from '../use-title.ts';
import { DeleteUser } from './delete-user.tsx';
import { titleDrafts, userDrafts } from './drafts.ts';
import { EditConflict, type Editing, EditUser, useEditUser } from './edit-user.tsx';
import { Fact, Facts, MemberFact } from './facts.tsx';
import { forgetPerson } from './forget-person.ts';
import { History } from './history.tsx';
import { KeptTitles } from './kept-titles.tsx';
import { MissingUser } from './missing-user.tsx';
import { NewUser } from './new-user.tsx';
import { Posts } from './posts.tsx';
import { Privacy } from './privacy.tsx';
import { RecordLinks } from './record-links.tsx';
import { RestoreUser } from './restore-user.tsx';
import { useErasure } from './use-erasure.ts';
import { useDeletedName, useEarlierRecords } from './use-history.ts';

export function UserPanel({ id, headingLevel }: { id: string; headingLevel: 1 | 2 }) {
  const isNew = id === 'new';
  const canWrite = useCanWrite();
  const hasForm = isNew && canWrite;
  // Focuses the title: screen readers announce the user, and Tab continues in the panel.
  useEffect(() => {
    // A form focuses its own first field.
    if (!hasForm) panelTitle.current?.focus({ preventScroll: true });
  }, [hasForm]);
  const { data: user } = useQuery({ ...userQuery(id), enabled: !isNew });
  const isMissing = user === null;
  const { data: erasure, isPending } = useErasure(id, { enabled: isMissing });
  // After an erasure, the history still contains the name for some minutes.
  const deletedName = useDeletedName(id, { enabled: isMissing && !isPending && !erasure });
  const missingName = erasure ? 'Erased person' : (deletedName ?? 'User');
  const name = isNew ? 'New user' : (user?.name ?? missingName);
  useDocumentTitle(`${name} – Users`);
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

const LABELS = { profile: 'Profile', posts: 'Posts', history: 'History', privacy: 'Privacy' };
type Tab = keyof typeof LABELS;

function ExistingUser({ id }: { id: string }) {
  const { data: user, error, refetch } = useQuery(userQuery(id));
  const isDeleted = useStore(pendingDeletions).has(id);
  if (isDeleted) return <MissingUser id={id} />;
  if (user === null) return <DeletedUser id={id} />;
  return (
    <>
      {error && <LoadError title="The user cannot be read" error={error} onRetry={refetch} />}
      {user === undefined && !error && <Skeleton height={280} role="status" aria-label="Loading the user" />}
      {user && <LoadedUser user={user} />}
    </>
  );
}

const keepsChanges = () => offer.get().changes !== 'none';

function DeletedUser({ id }: { id: string }) {
  const canReadHistory = useCanReadHistory();
  const canErase = useCanErase();
  const { data: erasure } = useErasure(id);
  const isErased = Boolean(erasure);
  // Another client may have erased the person.
  useEffect(() => {
    if (isErased) forgetPerson(id);
  }, [isErased, id]);
  const panels: Panel[] = [];
  if (canReadHistory && keepsChanges())
    panels.push({
      tab: 'history',
      content: (
        <>
          <RestoreUser id={id} erasure={erasure} />
          <History id={id} />
        </>
      ),
    });
  if (canReadHistory || canErase || erasure) panels.push({ tab: 'privacy', content: <Privacy id={id} /> });
  return (
    <>
      <MissingUser id={id} isErased={isErased} />
      {!isErased && <KeptTitles authorId={id} />}
      <UserTabs id={id} panels={isErased ? panels.toReversed() : panels} />
    </>
  );
}

function LoadedUser({ user }: { user: User }) {
  const editing = useEditUser(user);
  const { draft, save, restore } = editing;
  const canWrite = useCanWrite();
  const canReadHistory = useCanReadHistory();
  const canErase = useCanErase();
  const restorable = canWrite
    ? { user, isDisabled: draft !== undefined || save.isPending, onRestore: restore }
    : undefined;
  const panels: Panel[] = [
    { tab: 'profile', content: <Profile user={user} editing={editing} /> },
    { tab: 'posts', content: <Posts authorId={user.id} /> },
  ];
  if (canReadHistory && keepsChanges())
    panels.push({ tab: 'history', content: <History id={user.id} restore={restorable} /> });
  if (canReadHistory || canErase) panels.push({ tab: 'privacy', content: <Privacy id={user.id} user={user} /> });
  return (
    <>
      <EditConflict user={user} editing={editing} />
      <Blocked user={user} />
      <UserTabs id={user.id} panels={panels} />
    </>
  );
}

const Blocked = ({ user }: { user: User }) =>
  ownFields
    .get()
    .filter((field) => isBlocking(field, user[field.name]))
    .map(({ name }) => (
      <Alert key={name} color="red" p="sm">
        {labelMember(name)} {formatMember(name, user[name])}: the person is blocked from their own record.
      </Alert>
    ));

type Panel = { tab: Tab; content: ReactNode };

function UserTabs({ id, panels }: { id: string; panels: Panel[] }) {
  const route = useRoute();
  const unsaved: Partial<Record<Tab, boolean>> = {
    profile: userDrafts.useDraft(id) !== undefined,
    posts: titleDrafts.useAll().some(({ base }) => base.authorId === id),
  };
  const [first] = panels;
  if (!first) return null;
  const selected = panels.find(({ tab }) => tab === route.tab) ?? first;
  const select = (tab: string | null) => navigate({ tab: tab === first.tab || !tab ? undefined : tab });
  return (
    <Tabs value={selected.tab} onChange={select} keepMounted={false}>
      <Tabs.List aria-label="Parts of the user" mb="lg" style={{ flexWrap: 'nowrap' }}>
        {panels.map(({ tab }) => (
          <Tabs.Tab key={tab} value={tab} px="xs" rightSection={unsaved[tab] && <UnsavedMark />}>
            {LABELS[tab]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {panels.map(({ tab, content }) => (
        <Tabs.Panel key={tab} value={tab}>
          <Stack gap="lg">{content}</Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

const UnsavedMark = () => (
  <>
    <ColorSwatch size={8} color="var(--mantine-color-yellow-6)" withShadow={false} />
    <VisuallyHidden>unsaved</VisuallyHidden>
  </>
);

function Profile({ user, editing }: { user: User; editing: Editing }) {
  const canWrite = useCanWrite();
  return (
    <>
      {canWrite ? <EditUser user={user} editing={editing} /> : <MemberFacts user={user} />}
      <ServiceFacts user={user} />
      {canWrite && (
        <Group justify="flex-end">
          <DeleteUser user={user} />
        </Group>
      )}
    </>
  );
}

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
    <LastSignIn user={user} />
    <EarlierRecords id={user.id} />
    <Fact name="Version">{user.version}</Fact>
    <Fact name="Created">
      <Time value={user.createdAt} />
    </Fact>
    <Fact name="Updated">
      <Time value={user.updatedAt} />
    </Fact>
    <Fact name="Id">
      <CopyText text={user.id} what="the id" />
    </Fact>
  </Facts>
);

function LastSignIn({ user }: { user: User }) {
  const field = ownFields.get().find(({ signIn }) => signIn);
  if (!field) return null;
  const value = user[field.name];
  // The stored value may come from an earlier type of the field.
  const isTime = !Number.isNaN(Date.parse(String(value)));
  return (
    <Fact name={labelMember(field.name)}>
      {isTime ? <Time value={String(value)} /> : formatMember(field.name, value) || 'Never'}
    </Fact>
  );
}

function EarlierRecords({ id }: { id: string }) {
  const ids = useEarlierRecords(id);
  if (ids.length === 0) return null;
  return (
    <Fact name="Earlier records">
      <RecordLinks ids={ids} tab="history" />
    </Fact>
  );
}

const Time = ({ value }: { value: string }) => (
  <time dateTime={value}>
    {formatTime(new Date(value))}{' '}
    <Text span inherit c="dimmed">
      ({formatAge(new Date(value))})
    </Text>
  </time>
);
