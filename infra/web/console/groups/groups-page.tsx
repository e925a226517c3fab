import { Anchor, Button, Group as Row, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Group } from '../../../../lib/client/client.ts';
import { isTooShort } from '../api/users.ts';
import { useCanWrite } from '../auth/token.ts';
import { searchField, usersTitle } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { linkTo, navigate } from '../route.ts';
import { usePageTitle } from '../use-title.ts';
import { PanelItem, PanelList } from '../user/panel-list.tsx';
import { NewGroup } from './group-form.tsx';
import { GroupPage } from './group-page.tsx';
import { listGroups } from './groups.ts';

/** `shown`: `all`, `new` or the id of a group. */
export function GroupsPage({ shown }: { shown: string }) {
  const isList = shown === 'all' || shown === 'new';
  return (
    <Stack component="main" p="md" style={{ overflow: 'auto' }}>
      <Stack w="100%" maw="60rem" mx="auto">
        {isList ? <GroupList isCreating={shown === 'new'} /> : <GroupPage key={shown} id={shown} />}
      </Stack>
    </Stack>
  );
}

const PAGE_SIZE = 50;
const DELAY_MS = 150;

function GroupList({ isCreating }: { isCreating: boolean }) {
  const canWrite = useCanWrite();
  const [text, setText] = useState('');
  const [searched] = useDebouncedValue(text.trim(), DELAY_MS);
  const query = useInfiniteQuery({
    queryKey: ['groups', searched],
    queryFn: ({ pageParam, signal }) => listGroups(searched, { limit: PAGE_SIZE, after: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: true,
  });
  const groups = query.data?.pages.flatMap((page) => page.groups);
  usePageTitle('Groups');
  return (
    <>
      <Row justify="space-between">
        <Title order={1} size="h3" tabIndex={-1} ref={usersTitle}>
          Groups
        </Title>
        {canWrite && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => navigate({ groups: 'new' })}>
            New group
          </Button>
        )}
      </Row>
      <search>
        <TextInput
          ref={searchField}
          type="search"
          aria-label="Search groups by name or external id"
          placeholder="Name, or a whole external id"
          leftSection={<IconSearch size={16} />}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      </search>
      <PanelList name="groups" title={usersTitle} query={query} moreLabel="Show more groups">
        {groups?.map((group) => (
          <GroupRow key={group.id} group={group} />
        ))}
      </PanelList>
      <Text c="dimmed" size="sm" role="status">
        {groups?.length === 0 &&
          !query.isPlaceholderData &&
          (isTooShort(searched) || !searched ? 'No groups yet.' : 'No group matches.')}
      </Text>
      {isCreating && canWrite && <NewGroup onClose={() => navigate({ groups: 'all' })} />}
    </>
  );
}

const GroupRow = ({ group: { id, name, externalId, createdAt } }: { group: Group }) => (
  <PanelItem>
    <Row gap="xs" justify="space-between">
      <Anchor {...linkTo({ groups: id })} fw={550}>
        <bdi>{name}</bdi>
      </Anchor>
      <Text size="sm" c="dimmed">
        {externalId !== null && (
          <>
            <bdi>{externalId}</bdi>
            {' · '}
          </>
        )}
        <time dateTime={createdAt} title={formatTime(new Date(createdAt))}>
          created {formatAge(new Date(createdAt))}
        </time>
      </Text>
    </Row>
  </PanelItem>
);
