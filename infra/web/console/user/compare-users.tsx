import { Alert, Button, Group, Loader, Modal, Radio, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { isChanged, isNotFound } from '../../../../lib/client/client.ts';
import { isBlocking } from '../../../../lib/users/fields/declaration.ts';
import { client } from '../api/client.ts';
import type { User } from '../api/users.ts';
import { useCanWrite } from '../auth/token.ts';
import { type Target, useRestoredFocus } from '../focus.ts';
import { formatTime } from '../format.ts';
import { LoadError } from '../load-error.tsx';
import { useChange } from '../notices.tsx';
import {
  canReplace,
  findField,
  formatMember,
  isSameValue,
  joinLists,
  labelMember,
  listMembers,
} from '../own-fields.ts';
import { PendingButton } from '../pending-button.tsx';
import { LISTS, refresh } from '../query-client.ts';
import { closeComparison, navigate } from '../route.ts';
import { userQuery } from '../shown-users.ts';
import { FixedValue, ValueChoice } from './conflict-dialog.tsx';
import { forgetUsers } from './delete-user.tsx';
import { FormError, SlowHint } from './form-messages.tsx';

const close = () => navigate({ compare: undefined });

export function CompareUsers({ ids }: { ids: string }) {
  const [first = '', second = ''] = ids.split(',');
  const content = useRef<HTMLDivElement>(null);
  const merge = useMerge(ids);
  return (
    <Modal opened onClose={close} title="Compare two users" size="xl">
      <div ref={content} tabIndex={-1}>
        <Comparison first={first} second={second} content={content} merge={merge} />
      </div>
    </Modal>
  );
}

type Merge = Parameters<typeof client.mergeUsers>[0] & { name: string };

/** Also reports the result after the dialog was closed. */
const useMerge = (ids: string) =>
  useChange({
    failure: 'The users were not merged',
    send: ({ name: _, ...input }: Merge) => client.mergeUsers(input),
    onSent: async (_, { keep, remove, name }) => {
      const shown = [['user', keep], ['posts', keep], ['history', keep], ...LISTS];
      await forgetUsers(remove);
      await refresh(...shown);
      closeComparison(ids, keep);
      setTimeout(refresh, POSTS_FOLLOW_MS, ['posts', keep]);
      const undo = async () => {
        await client.undoMerge(remove);
        await refresh(['user', remove], ['history', remove], ...shown);
        setTimeout(refresh, POSTS_FOLLOW_MS, ['posts', keep], ['posts', remove]);
      };
      return { message: `Merged into ${name}. Posts follow in a moment.`, name, subject: keep, undo };
    },
    onFailed: (error) => (isChanged(error) || isNotFound(error)) && refresh(['user']),
  });

/** Time until the posts have mostly moved. */
const POSTS_FOLLOW_MS = 3_000;

const useUser = (id: string) => useQuery({ ...userQuery(id), staleTime: 0 });

/** `content` receives the focus of removed buttons. */
type ContentProps = { content: Target; merge: ReturnType<typeof useMerge> };

function Comparison({ first, second, ...props }: ContentProps & { first: string; second: string }) {
  const [one, other] = [useUser(first), useUser(second)];
  const failed = [one, other].find(({ error }) => error);
  if (failed?.error)
    return <LoadError title="The users cannot be read" error={failed.error} onRetry={() => failed.refetch()} />;
  if (one.data === undefined || other.data === undefined)
    return <Loader role="status" aria-label="Loading the users" />;
  if (!one.data || !other.data) return <Text>One of the users does not exist any more.</Text>;
  // Merging would delete the user.
  if (one.data.id === other.data.id) return <Text>The link names the same user twice.</Text>;
  return <Choices users={[one.data, other.data]} {...props} />;
}

/** By default keeps the older user: other systems may refer to it. Keeps the choices when a user changes elsewhere. */
function Choices({ users, content, merge }: ContentProps & { users: [User, User] }) {
  useRestoredFocus(content);
  const canWrite = useCanWrite();
  const versions = users.map(({ version }) => version).join();
  const [comparedVersions] = useState(versions);
  const [keptAt, setKeptAt] = useState(users[0].createdAt <= users[1].createdAt ? 0 : 1);
  const [kept, other] = keptAt === 0 ? users : [users[1], users[0]];
  /** Index of the user with the chosen value, by member. */
  const [chosen, setChosen] = useState<Record<string, number>>({});
  const members = listMembers().filter((member) => users.some((user) => !isSameValue(user[member], null)));
  const isFixed = (member: string) => !canReplace(member, kept[member], other[member]);
  /** By default keeps blocks. */
  const findChosen = (member: string) => {
    if (isFixed(member)) return keptAt;
    const isOther = isSameValue(kept[member], null) || (isBlocked(member, other) && !isBlocked(member, kept));
    return chosen[member] ?? (isOther ? 1 - keptAt : keptAt);
  };
  /** The service joins the lists itself. */
  const findJoined = (member: string) => joinLists(member, kept[member], other[member]);
  const start = () => {
    // The service rejects a merge that ends a block unless the values say so.
    const taken = members.filter(
      (member) =>
        (findChosen(member) !== keptAt || isBlocked(member, other)) &&
        !findJoined(member) &&
        !isSameValue(kept[member], other[member]),
    );
    merge.mutate({
      ...{ keep: kept.id, remove: other.id, name: kept.name },
      ifVersions: { keep: kept.version, remove: other.version },
      values: Object.fromEntries(taken.map((member) => [member, users[findChosen(member)]?.[member] ?? null])),
    });
  };
  return (
    <Stack>
      <Radio.Group label="Keep" value={String(keptAt)} onChange={(at) => setKeptAt(Number(at))}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" mt={6}>
          {users.map((user, at) => (
            <Radio.Card
              key={user.id}
              value={String(at)}
              p="sm"
              display="flex"
              style={{ alignItems: 'flex-start' }}
              aria-label={`${user.name}, ${user.email}`}
            >
              <Group wrap="nowrap" align="flex-start" gap="xs">
                <Radio.Indicator />
                <div style={{ minWidth: 0, overflowWrap: 'anywhere' }}>
                  <Text fw={600}>
                    <bdi>{user.name}</bdi>
                  </Text>
                  <Text size="sm" c="dimmed">
                    Created {formatTime(new Date(user.createdAt))}
                  </Text>
                </div>
              </Group>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
      {members.map((member) => {
        const joined = findJoined(member);
        const note = describeFixed(member, [kept, other], isFixed(member), joined);
        return note ? (
          <FixedValue key={member} member={member} value={joined?.value ?? kept[member]} note={note} />
        ) : (
          <ValueChoice
            key={member}
            member={member}
            options={users.map((user, at) => ({
              value: user[member],
              description: at === keptAt ? 'From the user you keep' : 'From the other user',
            }))}
            chosen={findChosen(member)}
            onChange={(at) => setChosen({ ...chosen, [member]: at })}
          />
        );
      })}
      {canWrite && (
        <Alert color="yellow" p="sm">
          Merging saves these values, moves all posts to <bdi>{kept.name}</bdi>, and deletes the other user.
          {members.map((member) => (
            <BlockNote key={member} member={member} users={users} chosen={findChosen(member)} />
          ))}
        </Alert>
      )}
      <FormError
        message={
          isChanged(merge.error) || (versions !== comparedVersions && !merge.isPending)
            ? 'One of the users has changed since you compared. Check the values again.'
            : merge.error?.message
        }
      />
      <SlowHint isPending={merge.isPending} />
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Close
        </Button>
        {canWrite && (
          <PendingButton color="red" isPending={merge.isPending} onClick={start}>
            Merge and delete the other user
          </PendingButton>
        )}
      </Group>
    </Stack>
  );
}

const isBlocked = (member: string, user: User | undefined): boolean => {
  const field = findField(member);
  return field !== undefined && isBlocking(field, user?.[member]);
};

function BlockNote({ member, users, chosen }: { member: string; users: [User, User]; chosen: number }) {
  const blocked = users.find((user) => isBlocked(member, user));
  if (!blocked) return null;
  const value = `${labelMember(member)} ${formatMember(member, users[chosen]?.[member]) || 'empty'}`;
  return (
    <Text fw={600}>
      <bdi>{blocked.name}</bdi> is blocked.{' '}
      {isBlocked(member, users[chosen])
        ? `${value} keeps the block, for all logins.`
        : `${value} ends the block, for all logins.`}
    </Text>
  );
}

/** Undefined for values to choose from. */
function describeFixed(
  member: string,
  [kept, other]: [User, User],
  isFixed: boolean,
  joined: ReturnType<typeof joinLists>,
): string | undefined {
  if (isSameValue(kept[member], other[member])) return 'the same in both';
  if (joined) {
    const noun = findField(member)?.subject ? 'logins' : 'groups';
    return `the ${noun} of both${joined.isTooLong ? ' are too many for one user, remove some first' : ''}`;
  }
  return isFixed ? 'from the user you keep, cannot be replaced' : undefined;
}
