import './browser-globals.ts';
import { QueryObserver } from '@tanstack/react-query';
import { beforeEach, expect, test, vi } from 'vitest';
import { queryClient } from '../../../../infra/web/console/query-client.ts';
import { listQuery, removeUser, showUser, userQuery } from '../../../../infra/web/console/shown-users.ts';

const at = '2026-11-22T10:00:00.000Z';
const ada = { id: '1', name: 'Ada', email: 'ada@example.org' };
const grace = { id: '2', name: 'Grace', email: 'grace@example.org' };
const newVersion = (version: number, name = `Ada ${version}`) => ({
  ...ada,
  name,
  version,
  createdAt: at,
  updatedAt: at,
});

beforeEach(() => queryClient.clear());

/** Holds back each response. */
function holdAnswers() {
  const held: PromiseWithResolvers<Response>[] = [];
  vi.stubGlobal('fetch', () => {
    const answer = Promise.withResolvers<Response>();
    held.push(answer);
    return answer.promise;
  });
  return {
    held,
    answerUser: (user: object | null) =>
      held.shift()?.resolve(user ? Response.json(user) : Response.json({}, { status: 404 })),
    answerList: (users: object[]) =>
      held.shift()?.resolve(Response.json(users, { headers: { 'x-total-count': String(users.length) } })),
  };
}

async function openPanel() {
  const answers = holdAnswers();
  const panel = new QueryObserver(queryClient, userQuery(ada.id));
  panel.subscribe(() => {});
  await expect.poll(() => answers.held).toHaveLength(1);
  answers.answerUser(newVersion(1));
  await expect.poll(() => panel.getCurrentResult().data?.version).toBe(1);
  const refetched = panel.refetch();
  await expect.poll(() => answers.held).toHaveLength(1);
  const answer = async (user: object | null) => {
    answers.answerUser(user);
    await refetched;
    return panel.getCurrentResult().data?.version ?? null;
  };
  return { panel, answer };
}

test.each([
  ['an older version', newVersion(1), 2],
  ['a newer version', newVersion(3), 3],
  ['no user', null, 2],
])('a late response with %s does not replace a newer version in the panel', async (_, read, version) => {
  const { answer } = await openPanel();
  showUser(newVersion(2));
  expect(await answer(read)).toBe(version);
});

test('a late response does not show a user who was deleted meanwhile', async () => {
  const { answer } = await openPanel();
  expect(removeUser(ada.id, 2)).toBe(true);
  expect(await answer(newVersion(1))).toBeNull();
});

test('a late list keeps newer rows, and no users who were deleted meanwhile', async () => {
  const answers = holdAnswers();
  const list = new QueryObserver(queryClient, listQuery({ limit: 20, page: 1, order: 'desc' }));
  list.subscribe(() => {});
  await expect.poll(() => answers.held).toHaveLength(1);
  answers.answerList([newVersion(1), { ...newVersion(1), ...grace }]);
  await expect.poll(() => list.getCurrentResult().data?.users).toHaveLength(2);
  const refetched = list.refetch();
  await expect.poll(() => answers.held).toHaveLength(1);
  showUser(newVersion(2));
  removeUser(grace.id, 2);
  answers.answerList([newVersion(1), { ...newVersion(1), ...grace }]);
  await refetched;
  expect(list.getCurrentResult().data?.users).toMatchObject([{ name: 'Ada 2', version: 2 }]);
});

test('a row keeps a newer version than the list that is read again', async () => {
  const answers = holdAnswers();
  const query = listQuery({ limit: 20, page: 1, order: 'desc' });
  queryClient.setQueryData(query.queryKey, { users: [newVersion(2), { ...newVersion(2), ...grace }] });
  const reading = queryClient.fetchQuery({ ...query, staleTime: 0 });
  await expect.poll(() => answers.held).toHaveLength(1);
  answers.answerList([newVersion(1), { ...newVersion(3), ...grace }]);
  expect((await reading).users.map(({ name, version }) => [name, version])).toEqual([
    ['Ada 2', 2],
    ['Grace', 3],
  ]);
});
