import { Alert, Button, Group, Loader, Modal, Radio, SimpleGrid, Stack, Text, Timeline } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { User } from '../api/users.ts';
import { useCanWrite } from '../auth/token.ts';
import { type Target, usePassedFocus, useRestoredFocus } from '../focus.ts';
import { formatCount, formatTime } from '../format.ts';
import { LoadError } from '../load-error.tsx';
import { notify } from '../notices.tsx';
import { canReplace, findField, isSameValue, joinLogins, listMembers } from '../own-fields.ts';
import { refresh } from '../query-client.ts';
import { closeComparison, navigate } from '../route.ts';
import { userQuery } from '../shown-users.ts';
import { useStore } from '../store.ts';
import { FixedValue, ValueChoice } from './conflict-dialog.tsx';
import { forgetUsers } from './delete-user.tsx';
import { type MergePlan, mergePlans } from './drafts.ts';
import { FormError, SlowHint } from './form-messages.tsx';
import { MERGE_STEPS, type MergeProgress, mergeUsers } from './merge.ts';

const close = () => navigate({ compare: undefined });

export function CompareUsers({ ids }: { ids: string }) {
  const [first = '', second = ''] = ids.split(',');
  const stored = useStore(mergePlans);
  const content = useRef<HTMLDivElement>(null);
  const plan = stored && [stored.kept, stored.removed].toSorted().join() === [first, second].toSorted().join();
  return (
    <Modal opened onClose={close} title="Compare two users" size="xl">
      <div ref={content} tabIndex={-1}>
        {plan ? (
          <Merging ids={ids} plan={stored} content={content} />
        ) : (
          <Comparison first={first} second={second} content={content} />
        )}
      </div>
    </Modal>
  );
}

const useUser = (id: string) => useQuery({ ...userQuery(id), staleTime: 0 });

/** `content` receives the focus of removed buttons. */
type ContentProps = { content: Target };

function Comparison({ first, second, content }: ContentProps & { first: string; second: string }) {
  const [one, other] = [useUser(first), useUser(second)];
  const failed = [one, other].find(({ error }) => error);
  if (failed?.error)
    return <LoadError title="The users cannot be read" error={failed.error} onRetry={() => failed.refetch()} />;
  if (one.data === undefined || other.data === undefined)
    return <Loader role="status" aria-label="Loading the users" />;
  if (!one.data || !other.data) return <Text>One of the users does not exist any more.</Text>;
  // Merging would delete the user.
  if (one.data.id === other.data.id) return <Text>The link names the same user twice.</Text>;
  return <Choices key={`${one.data.version} ${other.data.version}`} users={[one.data, other.data]} content={content} />;
}

/** By default keeps the older user: other systems may refer to it. */
function Choices({ users, content }: ContentProps & { users: [User, User] }) {
  useRestoredFocus(content);
  const canWrite = useCanWrite();
  const [keptAt, setKeptAt] = useState(users[0].createdAt <= users[1].createdAt ? 0 : 1);
  const [kept, other] = keptAt === 0 ? users : [users[1], users[0]];
  /** Index of the user with the chosen value, by member. */
  const [chosen, setChosen] = useState<Record<string, number>>({});
  const members = listMembers().filter((member) => users.some((user) => !isSameValue(user[member], null)));
  const joined = Object.fromEntries(
    members.flatMap((member) => {
      const logins = joinLogins(member, kept[member], other[member]);
      return logins === undefined ? [] : [[member, logins]];
    }),
  );
  const removed: User = { ...other, ...joined };
  const isFixed = (member: string) => !canReplace(member, kept[member], removed[member]);
  const losesLogins = (member: string) =>
    isFixed(member) && Boolean(findField(member)?.list) && !isSameValue(removed[member], null);
  const findChosen = (member: string) => {
    if (isFixed(member)) return keptAt;
    if (member in joined) return 1 - keptAt;
    return chosen[member] ?? (isSameValue(kept[member], null) ? 1 - keptAt : keptAt);
  };
  const start = () => {
    const taken = members.filter(
      (member) => findChosen(member) !== keptAt && !isSameValue(kept[member], removed[member]),
    );
    const plan: MergePlan = {
      kept: kept.id,
      removed: removed.id,
      versions: { kept: kept.version, removed: removed.version },
      // Cast: the values came from the API as JSON.
      values: Object.fromEntries(taken.map((member) => [member, removed[member] ?? null])) as MergePlan['values'],
    };
    mergePlans.set(() => plan);
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
      {members.map((member) =>
        isFixed(member) || member in joined || isSameValue(kept[member], removed[member]) ? (
          <FixedValue
            key={member}
            member={member}
            value={joined[member] ?? kept[member]}
            note={describeFixed(isFixed(member), member in joined, losesLogins(member))}
          />
        ) : (
          <ValueChoice
            key={member}
            member={member}
            options={users.map((user, at) => ({
              value: user[member],
              description: at === keptAt ? 'Of the user you keep' : 'Of the other user',
            }))}
            chosen={findChosen(member)}
            onChange={(at) => setChosen({ ...chosen, [member]: at })}
          />
        ),
      )}
      {canWrite && (
        <Alert color="yellow" variant="light" p="sm">
          Merging saves these values, moves all posts to <bdi>{kept.name}</bdi>, and then deletes the other user, whom
          the tab History can restore for a while without the posts.
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          Close
        </Button>
        {canWrite && (
          <Button color="red" onClick={start}>
            Merge and delete the other user
          </Button>
        )}
      </Group>
    </Stack>
  );
}

function describeFixed(isFixed: boolean, isJoined: boolean, losesLogins: boolean): string {
  if (losesLogins) return 'from the user you keep: the logins of both are too many for one user, remove some first';
  if (isFixed) return 'from the user you keep, cannot be replaced';
  return isJoined ? 'the logins of both' : 'the same in both';
}

const STEPS = Object.entries(MERGE_STEPS);

function Merging({ ids, plan, content }: ContentProps & { ids: string; plan: MergePlan }) {
  useRestoredFocus(content);
  const goOnButton = usePassedFocus(content);
  const [{ step, moved }, setProgress] = useState<MergeProgress>({ step: 'values', moved: 0 });
  const stop = useRef<AbortController>(null);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => {
      stop.current = new AbortController();
      return mergeUsers(plan, setProgress, stop.current.signal);
    },
    onSuccess: async () => {
      await forgetUsers(plan.removed);
      await refresh(['user', plan.kept], ['posts', plan.kept], ['history', plan.kept]);
      notify({ message: `Merged. ${formatCount(moved, 'post')} moved.`, tone: 'done', subject: plan.kept });
      closeComparison(ids, plan.kept);
    },
  });
  // Also continues a merge after a reload, but not after the dialog was closed.
  useEffect(() => {
    mutate();
    return () => {
      stop.current?.abort();
      mergePlans.set(() => undefined);
    };
  }, [mutate]);
  const at = STEPS.findIndex(([name]) => name === step);
  const cancel = () => {
    mergePlans.set(() => undefined);
    refresh(['user']);
  };
  return (
    <Stack>
      <Timeline active={at} bulletSize={18} lineWidth={2} aria-label="Steps">
        {STEPS.map(([name, label]) => (
          <Timeline.Item key={name} title={label}>
            {name === 'posts' && moved > 0 && (
              <Text size="sm" c="dimmed">
                {formatCount(moved, 'post')} moved
              </Text>
            )}
          </Timeline.Item>
        ))}
      </Timeline>
      <Text size="sm" role="status">
        {isPending ? `${MERGE_STEPS[step]} …` : error ? 'The merge has stopped. It goes on from this step.' : ''}
      </Text>
      <FormError message={error?.message} />
      <SlowHint isPending={isPending} />
      <Group justify="flex-end">
        <Button variant="default" onClick={cancel}>
          {isPending ? 'Stop' : 'Compare again'}
        </Button>
        {error && (
          <Button ref={goOnButton} onClick={() => mutate()}>
            Go on
          </Button>
        )}
      </Group>
    </Stack>
  );
}
