import '../browser-globals.ts';
import { notifyManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { applyChange } from '../../../../../infra/web/console/activity/use-change-feed.ts';
import { deleteLater, pendingDeletions } from '../../../../../infra/web/console/deletions.ts';
import { userDrafts } from '../../../../../infra/web/console/user/drafts.ts';

const ada = { id: '1', name: 'Ada', email: 'ada@example.org', version: 1 };
const grace = { id: '2', name: 'Grace', email: 'grace@example.org', version: 1 };
const LIST = ['users', { limit: 20, page: 1, order: 'desc' }];
const at = '2026-11-22T10:00:00.000Z';

test('a deletion by another client removes the user from the list and keeps the draft', () => {
  const queryClient = new QueryClient();
  queryClient.setQueryData(LIST, { users: [ada, grace], total: 30 });
  userDrafts.set(ada, { name: 'Ada King', email: ada.email });
  userDrafts.set(grace, { name: 'Grace H.', email: grace.email });
  applyChange(queryClient, { cursor: 'c', kind: 'DELETED', id: ada.id, at, user: null });
  expect(queryClient.getQueryData(LIST)).toEqual({ users: [grace], total: 29 });
  expect(userDrafts.list().map(({ base }) => base.id)).toEqual([ada.id, grace.id]);
});

test('a deletion on this page drops the draft', async () => {
  userDrafts.set(ada, { name: 'Ada King', email: ada.email });
  deleteLater({ ids: [ada.id], name: ada.name, send: async () => {} });
  applyChange(new QueryClient(), { cursor: 'c', kind: 'DELETED', id: ada.id, at, user: null });
  await expect.poll(() => userDrafts.find(ada.id)).toBeUndefined();
  await expect.poll(() => pendingDeletions.get().size).toBe(0);
});

test('a deletion on this page is forgotten after the lists have updated', async () => {
  const queryClient = new QueryClient();
  queryClient.setQueryData(LIST, { users: [ada, grace], total: 2 });
  deleteLater({ ids: [ada.id], name: ada.name, send: async () => {} });
  const events: string[] = [];
  const list = new QueryObserver(queryClient, { queryKey: LIST, enabled: false });
  const stops = [
    list.subscribe(({ data }) => events.push(`listed ${JSON.stringify(data).includes(ada.name)}`)),
    pendingDeletions.subscribe(() => events.push('forgotten')),
  ];
  notifyManager.batch(() => applyChange(queryClient, { cursor: 'c', kind: 'DELETED', id: ada.id, at, user: null }));
  await expect.poll(() => events).toEqual(['listed false', 'forgotten']);
  for (const stop of stops) stop();
});

test('a change does not update the time when a list was read', () => {
  const queryClient = new QueryClient();
  queryClient.setQueryData(LIST, { users: [ada], total: 1 }, { updatedAt: 1000 });
  const user = { ...ada, name: 'Ada King', version: 2, createdAt: at, updatedAt: at };
  applyChange(queryClient, { cursor: 'c', kind: 'UPDATED', id: ada.id, at, user });
  expect(queryClient.getQueryData(LIST)).toMatchObject({ users: [{ name: 'Ada King' }] });
  expect(queryClient.getQueryState(LIST)?.dataUpdatedAt).toBe(1000);
});
