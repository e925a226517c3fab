import '../browser-globals.ts';
import { QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addChanges, type Change, updateFeed } from '../../../../../infra/web/console/activity/feed.ts';
import { type ListRequest, listUsers, type UserList } from '../../../../../infra/web/console/api/users.ts';
import { queryClient } from '../../../../../infra/web/console/query-client.ts';
import { followListChanges } from '../../../../../infra/web/console/users/list-updates.ts';

const fetch = vi.fn<(path: string) => Promise<Response>>();
let cursor = 0;
let total = 0;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', fetch.mockReset());
  fetch.mockImplementation(async (path) => {
    const { limit = '', page = '', q } = Object.fromEntries(new URLSearchParams(path.split('?')[1]));
    if (q) return answer(undefined, Math.min(Number(limit), total));
    return answer(total, Math.min(Number(limit), total - (Number(page) - 1) * Number(limit)));
  });
  updateFeed({ status: 'live', changes: [] });
});
afterEach(() => {
  queryClient.clear();
  vi.useRealTimers();
});

const answer = (total: number | undefined, count: number) =>
  Response.json(
    Array.from({ length: count }, (_, index) => ({ id: String(index), name: 'Ada', email: 'ada@example.org' })),
    { headers: total === undefined ? {} : { 'x-total-count': String(total) } },
  );

/** Pages of 20 users. */
const show = (page: number, order: 'asc' | 'desc' = 'desc') => showList({ limit: 20, page, order });

async function showList(request: ListRequest) {
  const queryKey = ['users', request];
  const observer = new QueryObserver<UserList>(queryClient, { queryKey, queryFn: () => listUsers(request) });
  const unsubscribe = observer.subscribe(() => {});
  const leave = followListChanges();
  await vi.advanceTimersByTimeAsync(0);
  fetch.mockClear();
  return {
    read: () => {
      const { data } = observer.getCurrentResult();
      return { count: data?.users.length, total: data?.total };
    },
    [Symbol.dispose]() {
      unsubscribe();
      leave();
    },
  };
}

function change(kind: Change['kind'], nextTotal: number) {
  total = nextTotal;
  cursor += 1;
  addChanges([{ cursor: String(cursor), kind, id: String(cursor), at: '', version: null, user: null }]);
}

/** Holds back the response with the new total. */
async function requestLateTotal() {
  const late = Promise.withResolvers<Response>();
  fetch.mockImplementationOnce(() => late.promise);
  change('CREATED', 43);
  await vi.advanceTimersByTimeAsync(1000);
  return late;
}

test('a change by another client updates the total of a full page within a second', async () => {
  total = 42;
  using list = await show(1);
  change('CREATED', 43);
  await vi.advanceTimersByTimeAsync(1000);
  expect(list.read()).toEqual({ count: 20, total: 43 });
  expect(fetch.mock.calls.map(([path]) => path)).toEqual(['/v1/users?include=times&page=1&limit=1']);
});

test.each([
  ['a user is created and the first page has room', { before: 5, page: 1, order: 'desc', after: 6, count: 6 }],
  ['a user is created and the last page has room', { before: 45, page: 3, order: 'asc', after: 46, count: 6 }],
  ['a user is deleted and the last page has room', { before: 45, page: 3, order: 'desc', after: 44, count: 4 }],
] as const)('the page is read again when %s', async (_, { before, page, order, after, count }) => {
  total = before;
  using list = await show(page, order);
  change(after > before ? 'CREATED' : 'DELETED', after);
  await vi.advanceTimersByTimeAsync(1000);
  expect(list.read()).toEqual({ count, total: after });
});

test('the page reloads when another client has deleted users of it', async () => {
  total = 42;
  using list = await show(2);
  queryClient.setQueriesData<UserList>(
    { queryKey: ['users'] },
    (list) => list && { ...list, users: list.users.slice(5) },
  );
  change('DELETED', 37);
  await vi.advanceTimersByTimeAsync(1000);
  expect(list.read()).toEqual({ count: 17, total: 37 });
});

test('search matches reload while the page has room', async () => {
  total = 0;
  using list = await showList({ limit: 20, q: 'ada', filter: {} });
  change('CREATED', 20);
  await vi.advanceTimersByTimeAsync(1000);
  expect(list.read()).toEqual({ count: 20, total: undefined });
  change('CREATED', 21);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(fetch).toHaveBeenCalledTimes(1);
});

test('a late response does not overwrite a later one', async () => {
  total = 42;
  using list = await show(1);
  const late = await requestLateTotal();
  change('CREATED', 44);
  // Less than the time limit of a request.
  await vi.advanceTimersByTimeAsync(20_000);
  expect(fetch).toHaveBeenCalledTimes(1);
  late.resolve(answer(43, 1));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(list.read().total).toBe(44);
});

test('a total that is older than the list is dropped', async () => {
  total = 42;
  using list = await show(1);
  const late = await requestLateTotal();
  // Another user is created before the response with the first total arrives.
  total = 44;
  await vi.advanceTimersByTimeAsync(100);
  await queryClient.invalidateQueries({ queryKey: ['users'] });
  late.resolve(answer(43, 1));
  await vi.advanceTimersByTimeAsync(30_000);
  expect(list.read().total).toBe(44);
});

test('steady changes cause one request in ten seconds', async () => {
  total = 42;
  using list = await show(1);
  for (let second = 1; second <= 120; second += 1) {
    change('CREATED', 42 + second);
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(fetch.mock.calls.length).toBeGreaterThan(9);
  expect(fetch.mock.calls.length).toBeLessThan(15);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(list.read().total).toBe(162);
});

test('nothing is read after the page was left', async () => {
  total = 42;
  {
    using _list = await show(1);
    change('CREATED', 43);
  }
  await vi.advanceTimersByTimeAsync(30_000);
  expect(fetch).not.toHaveBeenCalled();
});
