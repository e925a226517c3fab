import '../browser-globals.ts';
import { notifications } from '@mantine/notifications';
import { notifyManager, QueryObserver } from '@tanstack/react-query';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Change } from '../../../../../infra/web/console/activity/feed.ts';
import { applyChange } from '../../../../../infra/web/console/activity/use-change-feed.ts';
import { deleteLater, pendingDeletions } from '../../../../../infra/web/console/deletions.ts';
import { queryClient } from '../../../../../infra/web/console/query-client.ts';
import { showUser, userQuery } from '../../../../../infra/web/console/shown-users.ts';
import { userDrafts } from '../../../../../infra/web/console/user/drafts.ts';

const at = '2026-11-22T10:00:00.000Z';
const ada = { id: '1', name: 'Ada', email: 'ada@example.org', createdAt: at, updatedAt: at, version: 1 };
const grace = { ...ada, id: '2', name: 'Grace', email: 'grace@example.org' };
const LIST = ['users', { limit: 20, page: 1, order: 'desc' }];

const deletion = (version: number | null): Change => ({
  cursor: 'c',
  kind: 'DELETED',
  id: ada.id,
  at,
  version,
  user: null,
});
const update = (name: string, version: number): Change => ({
  ...deletion(version),
  kind: 'UPDATED',
  user: { ...ada, name, version },
});

const findUser = vi.fn<() => object | null>();

beforeEach(() => {
  findUser.mockReset();
  vi.stubGlobal('fetch', async (path: string) => {
    if (path === '/graphql') return Response.json({ data: { erasure: null } });
    const user = findUser();
    return user ? Response.json(user) : Response.json({}, { status: 404 });
  });
  userDrafts.clear();
  queryClient.clear();
});

test('a deletion by another client removes the user from the list and keeps the draft', () => {
  queryClient.setQueryData(LIST, { users: [ada, grace], total: 30 });
  userDrafts.set(ada, { name: 'Ada King', email: ada.email });
  userDrafts.set(grace, { name: 'Grace H.', email: grace.email });
  applyChange(deletion(2));
  expect(queryClient.getQueryData(LIST)).toEqual({ users: [grace], total: 29 });
  expect(userDrafts.list().map(({ base }) => base.id)).toEqual([ada.id, grace.id]);
});

test('a deletion on this page drops the draft', async () => {
  userDrafts.set(ada, { name: 'Ada King', email: ada.email });
  deleteLater({ ids: [ada.id], name: ada.name, send: async () => {} });
  applyChange(deletion(2));
  await expect.poll(() => userDrafts.find(ada.id)).toBeUndefined();
  await expect.poll(() => pendingDeletions.get().size).toBe(0);
});

test('a deletion on this page is forgotten after the lists have updated', async () => {
  queryClient.setQueryData(LIST, { users: [ada, grace], total: 2 });
  deleteLater({ ids: [ada.id], name: ada.name, send: async () => {} });
  const events: string[] = [];
  const list = new QueryObserver(queryClient, { queryKey: LIST, enabled: false });
  const stops = [
    list.subscribe(({ data }) => events.push(`listed ${JSON.stringify(data).includes(ada.name)}`)),
    pendingDeletions.subscribe(() => events.push('forgotten')),
  ];
  notifyManager.batch(() => applyChange(deletion(2)));
  await expect.poll(() => events).toEqual(['listed false', 'forgotten']);
  for (const stop of stops) stop();
});

test('a change does not update the time when a list was read', () => {
  queryClient.setQueryData(LIST, { users: [ada], total: 1 }, { updatedAt: 1000 });
  applyChange(update('Ada King', 2));
  expect(queryClient.getQueryData(LIST)).toMatchObject({ users: [{ name: 'Ada King' }] });
  expect(queryClient.getQueryState(LIST)?.dataUpdatedAt).toBe(1000);
});

test('three quick saves: late events of the first two do not show older values', () => {
  queryClient.setQueryData(LIST, { users: [ada], total: 1 });
  const names: string[] = [];
  queryClient.getQueryCache().subscribe(() => {
    const list = queryClient.getQueryData<{ users: { name: string }[] }>(LIST);
    names.push(...(list?.users.map(({ name }) => name) ?? []));
  });
  for (const version of [2, 3, 4]) showUser({ ...ada, name: `Ada ${version}`, version });
  for (const version of [2, 3, 4]) applyChange(update(`Ada ${version}`, version));
  applyChange(update('Ada 5', 5));
  expect([...new Set(names)]).toEqual(['Ada 2', 'Ada 3', 'Ada 4', 'Ada 5']);
  expect(names.at(-1)).toBe('Ada 5');
});

test.each([
  ['the panel', ['user', ada.id], { ...ada, version: 3 }],
  ['a list', ['users', { limit: 50 }], { users: [{ ...ada, version: 3 }] }],
])('a deletion before the version in %s removes nothing and sends no notice', async (_, queryKey, data) => {
  queryClient.setQueryData(LIST, { users: [{ id: ada.id, name: 'Ada', email: ada.email }, grace], total: 2 });
  queryClient.setQueryData(queryKey, data);
  userDrafts.set({ ...ada, version: 3 }, { name: 'Ada King', email: ada.email });
  const show = vi.spyOn(notifications, 'show');
  applyChange(deletion(2));
  await new Promise(setImmediate);
  expect(queryClient.getQueryData(queryKey)).toEqual(data);
  expect(queryClient.getQueryData(LIST)).toMatchObject({ total: 2 });
  expect(show).not.toHaveBeenCalled();
  applyChange(deletion(4));
  expect(queryClient.getQueryData(LIST)).toEqual({ users: [grace], total: 1 });
  await expect.poll(() => show).toHaveBeenCalledTimes(1);
  show.mockRestore();
});

test('a deletion of an unknown version applies', () => {
  queryClient.setQueryData(LIST, { users: [ada, grace], total: 2 });
  applyChange(deletion(null));
  expect(queryClient.getQueryData(LIST)).toEqual({ users: [grace], total: 1 });
});

test('an open user who was deleted and restored is shown again', async () => {
  findUser.mockReturnValue({ ...ada, version: 1 });
  const panel = new QueryObserver(queryClient, userQuery(ada.id));
  const close = panel.subscribe(() => {});
  await expect.poll(() => panel.getCurrentResult().data).toMatchObject({ version: 1 });
  applyChange(deletion(2));
  expect(panel.getCurrentResult().data).toBeNull();
  findUser.mockReturnValue({ ...ada, version: 3 });
  applyChange(update('Ada', 3));
  await expect.poll(() => panel.getCurrentResult().data).toMatchObject({ version: 3 });
  close();
});

test('a restore while the page asks for an erasure prevents the notice of the deletion', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Response>();
  vi.stubGlobal('fetch', () => {
    asked.resolve();
    return answer.promise;
  });
  userDrafts.set(ada, { name: 'Ada King', email: ada.email });
  const show = vi.spyOn(notifications, 'show');
  applyChange(deletion(2));
  await asked.promise;
  applyChange(update('Ada', 3));
  answer.resolve(Response.json({ data: { erasure: null } }));
  await new Promise(setImmediate);
  expect(show).not.toHaveBeenCalled();
  show.mockRestore();
});
