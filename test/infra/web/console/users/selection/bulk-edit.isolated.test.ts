import '../../browser-globals.ts';
import { notifications } from '@mantine/notifications';
import type { ReactElement } from 'react';
import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';
import type { User } from '../../../../../../infra/web/console/api/users.ts';
import { jobs, stopJobs } from '../../../../../../infra/web/console/jobs.ts';
import { editUsers, editValue, listActions } from '../../../../../../infra/web/console/users/selection/bulk-edit.ts';
import { runBulkJob } from '../../../../../../infra/web/console/users/selection/bulk-job.ts';

// Pauses between attempts end at once.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }).setTimerTickMode('nextTimerAsync'));
afterEach(() => void vi.useRealTimers());

const at = '2026-11-22T10:00:00.000Z';
const tags = { name: 'tags', type: 'string', list: true } as const;

test.each([
  [tags, ['set', 'add', 'remove', 'clear']],
  [{ ...tags, required: true }, ['set', 'add', 'remove']],
  [{ name: 'nickname', type: 'string', unique: true } as const, ['clear']],
  [{ name: 'sub', type: 'string', subject: true } as const, []],
])('a bulk edit of %j offers the actions %j', (field, actions) => {
  expect(listActions(field)).toEqual(actions);
});

test.each([
  ['add', ['b', 'c'], ['a', 'b'], ['a', 'b', 'c']],
  ['add', ['b'], null, ['b']],
  ['remove', ['b'], ['a', 'b'], ['a']],
  ['remove', ['a', 'b'], ['b'], null],
  ['set', ['b'], ['a'], ['b']],
  ['clear', null, ['a'], null],
] as const)('the action %s of %j makes %j %j', (action, value, before, after) => {
  const copy = (list: readonly string[] | null) => (list ? [...list] : null);
  expect(editValue({ field: tags, action, value: copy(value) }, copy(before))).toEqual(after);
});

test('a job stops at a failed part and can retry it; the next job waits', async () => {
  const parts: number[] = [];
  let failures = 1;
  const items = Array.from({ length: 120 }, (_, at) => at);
  const change = async (part: readonly number[]) => {
    if (part[0] === 50 && failures-- > 0) throw new Error('The service is busy');
    parts.push(part.length);
  };
  const first = runBulkJob({ label: 'Changing', items, change });
  const second = runBulkJob({ label: 'Deleting', items: [1], change });
  await expect.poll(() => jobs.get()[0]?.error).toBe('The service is busy');
  expect(jobs.get()).toMatchObject([{ label: 'Changing', done: 50, total: 120, status: 'failed' }]);
  jobs.get()[0]?.resume();
  expect(await first).toBe(true);
  expect(await second).toBe(true);
  expect(parts).toEqual([50, 50, 20, 1]);
  expect(jobs.get()).toEqual([]);
});

test('a cancelled job makes no further changes', async () => {
  const parts: number[] = [];
  const items = Array.from({ length: 120 }, (_, at) => at);
  const isDone = await runBulkJob({
    label: 'Changing',
    items,
    change: async (part) => {
      parts.push(part.length);
      jobs.get()[0]?.cancel();
    },
  });
  expect(isDone).toBe(false);
  expect(parts).toEqual([50]);
});

test('a sign-out stops the running job and those that wait, and no later job', async () => {
  const parts: string[] = [];
  const run = (label: string) =>
    runBulkJob({
      label,
      items: Array.from({ length: 60 }, (_, at) => at),
      change: async () => {
        parts.push(label);
        if (label === 'Changing') stopJobs();
      },
    });
  expect(await Promise.all([run('Changing'), run('Deleting'), run('Restoring')])).toEqual([false, false, false]);
  expect(parts).toEqual(['Changing']);
  expect(await run('Changing Plan')).toBe(true);
});

test('a bulk edit pauses while the service is busy', async () => {
  const user = { id: '1', name: 'Ada', email: 'ada@example.org', createdAt: at, updatedAt: at, version: 1 };
  vi.stubGlobal('fetch', async (_url: string, init?: RequestInit) =>
    String(init?.body).includes('usersByIds')
      ? Response.json({ data: { usersByIds: [user] } })
      : new Response('{}', { status: 503 }),
  );
  const editing = editUsers([user], { field: tags, action: 'set', value: ['a'] }, () => {});
  await expect.poll(() => jobs.get()[0]?.error).toBe('The service answered 503');
  jobs.get()[0]?.cancel();
  await editing;
});

test('users whose answer was lost count as changed, and as restored, once the job goes on', async () => {
  let stored: User = { id: '1', name: 'Ada', email: 'ada@example.org', createdAt: at, updatedAt: at, version: 1 };
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { query, variables } = JSON.parse(body);
    if (query.includes('usersByIds')) return Response.json({ data: { usersByIds: [stored] } });
    const [{ ifVersion, ...changes }] = variables.users;
    if (ifVersion === stored.version) stored = { ...stored, ...changes, version: ifVersion + 1 };
    return new Response('{}', { status: 503 });
  });
  const show = vi.spyOn(notifications, 'show');
  const onChanged = vi.fn();
  const resume = async () => {
    await expect.poll(() => jobs.get()[0]?.error).toBe('The service answered 503');
    jobs.get()[0]?.resume();
  };
  const editing = editUsers([stored], { field: tags, action: 'set', value: ['a'] }, onChanged);
  await resume();
  await editing;
  expect(onChanged).toHaveBeenLastCalledWith(new Map([['1', { ...stored, tags: ['a'], version: 2 }]]));
  const { message } = show.mock.lastCall?.[0] ?? {};
  const { notice } = (message as ReactElement<{ notice: { undo: () => Promise<void> } }>).props;
  expect(notice).toMatchObject({ message: 'Changed Tags of 1 user' });
  const undoing = notice.undo();
  await resume();
  await undoing;
  expect(stored).toMatchObject({ tags: null, version: 3 });
  const { tags: _, ...restored } = stored;
  expect(onChanged).toHaveBeenLastCalledWith(new Map([['1', restored]]));
});

const cancelAfterOutage = async () => {
  await expect.poll(() => jobs.get()[0]?.error).toBe('The service answered 503');
  jobs.get()[0]?.cancel();
};

const readNotices = ({ mock }: MockInstance<typeof notifications.show>) =>
  mock.calls.map(([{ message }]) => (message as ReactElement<{ notice: Notice }>).props.notice);
type Notice = { message: string; undo: () => Promise<void> };

const createUsers = (count: number): User[] =>
  Array.from({ length: count }, (_, number) => ({
    ...{ id: `${number}`, name: `User ${number}`, email: `${number}@example.org`, createdAt: at, updatedAt: at },
    version: 1,
  }));

test('a bulk edit that is cancelled in an outage reports which users were changed', async () => {
  const stored = new Map(createUsers(3).map((user) => [user.id, user]));
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { query, variables } = JSON.parse(body);
    if (query.includes('usersByIds'))
      return Response.json({ data: { usersByIds: variables.ids.map((id: string) => stored.get(id)) } });
    // The first user is written with each attempt, the others never.
    const { ifVersion, ...changes } = variables.users[0];
    const user = stored.get('0');
    if (user?.version === ifVersion) stored.set('0', { ...user, ...changes, version: 2 });
    return new Response('{}', { status: 503 });
  });
  const show = vi.spyOn(notifications, 'show').mockClear();
  const editing = editUsers(createUsers(3), { field: tags, action: 'set', value: ['a'] }, () => {});
  await cancelAfterOutage();
  await editing;
  const [notice] = readNotices(show);
  expect(notice).toMatchObject({ message: 'Changed Tags of 1 user; 2 stay as they were', undo: expect.any(Function) });
});

test('a bulk edit that is cancelled in an outage names users whose state is unknown', async () => {
  let reads = 0;
  vi.stubGlobal('fetch', async (_url: string, init: { body: string }) => {
    if (!init.body.includes('usersByIds') || reads++ > 0) return new Response('{}', { status: 503 });
    return Response.json({ data: { usersByIds: createUsers(1) } });
  });
  const show = vi.spyOn(notifications, 'show').mockClear();
  const editing = editUsers(createUsers(1), { field: tags, action: 'set', value: ['a'] }, () => {});
  await cancelAfterOutage();
  await editing;
  expect(readNotices(show).map(({ message }) => message)).toEqual([
    'Of 1 user, some were not changed: User 0: The service did not answer, and may have changed the user',
    'Changed Tags of 0 users',
  ]);
});

test('the undo of a bulk edit restores the value that another client set just before the edit', async () => {
  let stored: User = { ...createUsers(1)[0], tags: ['old'] } as User;
  let isFirst = true;
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { query, variables } = JSON.parse(body);
    if (query.includes('usersByIds')) return Response.json({ data: { usersByIds: [stored] } });
    if (isFirst) stored = { ...stored, tags: ['theirs'], version: 2 };
    isFirst = false;
    const [{ ifVersion, ...changes }] = variables.users;
    const isCurrent = ifVersion === stored.version;
    if (isCurrent) stored = { ...stored, ...changes, version: ifVersion + 1 };
    const error = { message: 'Changed', code: 'PRECONDITION_FAILED', reason: null, version: stored.version };
    const result = isCurrent ? { user: stored, error: null } : { user: null, error };
    return Response.json({ data: { updateUsers: { results: [result] } } });
  });
  const show = vi.spyOn(notifications, 'show').mockClear();
  await editUsers([stored], { field: tags, action: 'set', value: ['ours'] }, () => {});
  expect(stored).toMatchObject({ tags: ['ours'], version: 3 });
  const [notice] = readNotices(show);
  await notice?.undo();
  expect(stored).toMatchObject({ tags: ['theirs'], version: 4 });
});

test.each([
  ['restores a user with the value of the edit', 2, ['a'], { tags: ['old'], version: 3 }],
  ['keeps a user who has changed again', 3, ['a'], { tags: ['a'], version: 3 }],
  ['keeps a user who was not written', 1, ['old'], { tags: ['old'], version: 1 }],
])('the undo of an edit with a lost answer %s', async (_, version, value, expected) => {
  let stored: User = { ...createUsers(1)[0], tags: ['old'], version: 1 } as User;
  let isOutage = false;
  vi.stubGlobal('fetch', async (_url: string, { body }: { body: string }) => {
    const { query, variables } = JSON.parse(body);
    if (isOutage) return new Response('{}', { status: 503 });
    if (query.includes('usersByIds')) return Response.json({ data: { usersByIds: [stored] } });
    const [{ ifVersion, ...changes }] = variables.users;
    if (stored.version === 1) {
      isOutage = true;
      return new Response('{}', { status: 503 });
    }
    stored = { ...stored, ...changes, version: ifVersion + 1 };
    return Response.json({ data: { updateUsers: { results: [{ user: stored, error: null }] } } });
  });
  const show = vi.spyOn(notifications, 'show').mockClear();
  const editing = editUsers([stored], { field: tags, action: 'set', value: ['a'] }, () => {});
  await cancelAfterOutage();
  await editing;
  isOutage = false;
  stored = { ...stored, tags: value, version };
  const notice = readNotices(show).at(-1);
  expect(notice?.message).toBe('Changed Tags of 0 users');
  await notice?.undo();
  expect(stored).toMatchObject(expected);
});
