import { Anchor, Button, CloseButton, NativeSelect, Group as Row, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Group } from '../../../../lib/client/client.ts';
import { useReadAgain } from '../activity/use-read-again.ts';
import { Address } from '../address.tsx';
import { client } from '../api/client.ts';
import { listUsers, type User } from '../api/users.ts';
import { useCanWrite } from '../auth/token.ts';
import { CopyText } from '../copy-text.tsx';
import { pendingDeletions } from '../deletions.ts';
import { type Target, usePassedFocus, userLinkId, usersTitle } from '../focus.ts';
import { formatCount, formatTime } from '../format.ts';
import { LoadError } from '../load-error.tsx';
import { listRoles, readMemberships } from '../own-fields.ts';
import { linkTo, showList } from '../route.ts';
import { useStore } from '../store.ts';
import { usePageTitle } from '../use-title.ts';
import { groupDrafts } from '../user/drafts.ts';
import { Fact, Facts } from '../user/facts.tsx';
import { FormError } from '../user/form-messages.tsx';
import { KeptTitle } from '../user/kept-titles.tsx';
import { PanelItem, PanelList, PanelSection } from '../user/panel-list.tsx';
import { AddMember } from './add-member.tsx';
import { DeleteGroup } from './delete-group.tsx';
import { EditGroup } from './group-form.tsx';
import { memberCountQuery } from './groups.ts';
import { RoleSelect } from './role-select.tsx';
import { useMemberChange } from './use-member-change.ts';

export function GroupPage({ id }: { id: string }) {
  const {
    data: group,
    error,
    refetch,
  } = useQuery({ queryKey: ['group', id], queryFn: ({ signal }) => client.groups.get(id, { signal }), staleTime: 0 });
  const draft = groupDrafts.useDraft(id);
  const name = group?.name ?? 'Group';
  usePageTitle(`${name} – Groups`);
  return (
    <>
      <Anchor {...linkTo({ groups: 'all' })} size="sm">
        All groups
      </Anchor>
      <Title order={1} size="h3" tabIndex={-1} ref={usersTitle} style={{ overflowWrap: 'anywhere' }}>
        <bdi>{name}</bdi>
      </Title>
      {error && <LoadError title="The group cannot be read" error={error} onRetry={refetch} />}
      {group === undefined && !error && <Skeleton height={120} role="status" aria-label="Loading the group" />}
      {group === null && <Text>This group does not exist. Somebody may have deleted it.</Text>}
      {group === null && draft && (
        <KeptTitle title={Object.values(draft.input).join(', ')} onDiscard={() => groupDrafts.drop(id)}>
          “<bdi>{draft.base.name}</bdi>” was deleted elsewhere.
        </KeptTitle>
      )}
      {group && <LoadedGroup group={group} />}
    </>
  );
}

function LoadedGroup({ group }: { group: Group }) {
  const canWrite = useCanWrite();
  const [isEditing, edit] = useDisclosure(groupDrafts.find(group.id) !== undefined);
  const [isDeleting, deletion] = useDisclosure();
  return (
    <>
      <Facts>
        <Fact name="External id">{group.externalId === null ? 'Not set' : <bdi>{group.externalId}</bdi>}</Fact>
        <Fact name="Created">{formatTime(new Date(group.createdAt))}</Fact>
        <Fact name="Id">
          <CopyText text={group.id} what="the id" />
        </Fact>
      </Facts>
      {canWrite && (
        <Row gap="xs">
          <Button size="xs" variant="default" onClick={edit.open}>
            Edit
          </Button>
          <Button size="xs" variant="light" color="red" onClick={deletion.open}>
            Delete…
          </Button>
        </Row>
      )}
      <Members group={group} />
      {isEditing && canWrite && <EditGroup group={group} onClose={edit.close} />}
      {isDeleting && <DeleteGroup group={group} onClose={deletion.close} />}
    </>
  );
}

const PAGE_SIZE = 50;

function Members({ group }: { group: Group }) {
  const canWrite = useCanWrite();
  const [role, setRole] = useState('');
  const title = useRef<HTMLHeadingElement>(null);
  const filter = { group: group.id, ...(role ? { role } : {}) };
  const query = useInfiniteQuery({
    queryKey: ['members', group.id, role],
    queryFn: ({ pageParam, signal }) => listUsers({ filter, limit: PAGE_SIZE, after: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
  });
  const { data: count, refetch: countAgain } = useQuery({ ...memberCountQuery(group.id), staleTime: 0 });
  useReadAgain(() => {
    query.refetch();
    countAgain();
  });
  const deleted = useStore(pendingDeletions);
  const members = query.data?.pages.flatMap(({ users }) => users).filter(({ id }) => !deleted.has(id));
  return (
    <PanelSection name="Members" title={title}>
      <Row justify="space-between" align="flex-end">
        <NativeSelect
          size="xs"
          label="Show"
          value={role}
          data={[{ value: '', label: 'Any role' }, ...listRoles()]}
          onChange={({ currentTarget }) => setRole(currentTarget.value)}
        />
        <Row gap="sm">
          <Text size="sm" c="dimmed" role="status">
            {typeof count === 'number' && formatCount(count, 'member')}
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => showList({ q: '', filter })}>
            Show in the list of users
          </Button>
        </Row>
      </Row>
      {canWrite && <AddMember group={group} />}
      <PanelList name="members" title={title} query={query} moreLabel="Show more members">
        {members?.map((user) => (
          <MemberRow key={user.id} user={user} group={group} title={title} />
        ))}
      </PanelList>
      {members?.length === 0 && !query.hasNextPage && (
        <Text c="dimmed" size="sm">
          {role ? 'Nobody has this role.' : 'The group has no members.'}
        </Text>
      )}
    </PanelSection>
  );
}

type RowProps = { user: User; group: Group; title: Target };

function MemberRow({ user, group, title }: RowProps) {
  const canWrite = useCanWrite();
  const remove = usePassedFocus(title);
  const { role = '' } = readMemberships(user.groups).find(({ id }) => id === group.id) ?? {};
  const { mutate, error, isPending } = useMemberChange(user, group);
  return (
    <PanelItem>
      <Row gap="xs" wrap="nowrap">
        <Stack gap={0} flex={1} miw={0}>
          <Anchor id={userLinkId(user.id)} {...linkTo({ user: user.id })} fw={550} size="sm" truncate>
            <bdi>{user.name}</bdi>
          </Anchor>
          <Text size="sm" c="dimmed" truncate>
            <Address value={user.email} />
          </Text>
        </Stack>
        {canWrite ? (
          <>
            <RoleSelect
              size="xs"
              flex="none"
              aria-label={`Role of ${user.name}`}
              value={role}
              disabled={isPending}
              onChoose={(chosen) => mutate({ before: role, after: chosen })}
            />
            <CloseButton
              ref={remove}
              aria-label={`Remove ${user.name}`}
              disabled={isPending}
              onClick={() => mutate({ before: role, after: undefined })}
            />
          </>
        ) : (
          <Text size="sm">{role}</Text>
        )}
      </Row>
      <FormError message={error?.message} />
    </PanelItem>
  );
}
