import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DIRECTORY, userKey } from '../../../../lib/dynamodb/keys.ts';
import { environment } from '../../../../lib/environment.ts';
import { indexPages } from '../../../../lib/features/page-index/indexer.ts';
import { tombstoneKey } from '../../../../lib/features/page-index/keys.ts';
import { openPageIndex } from '../../../../lib/features/page-index/reader.ts';
import { SETTLING_MS } from '../../../../lib/features/page-index/timing.ts';
import { sizes } from '../../../../lib/sizes.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { listUsers } from '../../../../lib/users/list.ts';
import { isThorough } from '../../../setup/seed.ts';
import { clearTable, createUsers, pause, returnUser, START, setTime, simulatePageIndex } from './fixtures.ts';
import { LaggingTable } from './lagging-table.ts';

const COUNT = 11;
let users: string[];
let lagging: LaggingTable;

async function startWith(count: number) {
  await clearTable();
  users = await createUsers(count);
  lagging = new LaggingTable();
  await lagging.attach();
}

simulatePageIndex();
beforeEach(() => startWith(COUNT));
afterEach(() => {
  lagging.detach();
  vi.useRealTimers();
});

/** Indexes only the first `count` users, who have settled. */
async function indexUpTo(count: number, blocks: number) {
  setTime(START + (count - 1) * 1000 + SETTLING_MS + 1);
  sizes.fanout = { users: 2, blocks };
  environment.pause = async () => {};
  await indexPages();
  environment.pause = pause;
}

type Order = 'asc' | 'desc';

async function expectPage(page: number, order: Order, expected: string[]) {
  const ordered = order === 'asc' ? expected : expected.toReversed();
  const { users, total } = await listUsers({ page, limit: 3, order });
  const shown = { ids: users.map(({ id }) => id), total };
  expect(shown, `${order} page ${page}`).toEqual({
    ids: ordered.slice(3 * page - 3, 3 * page),
    total: expected.length,
  });
}

const ORDERS: Order[] = ['asc', 'desc'];

async function expectEveryPage(expected: string[]) {
  for (const order of ORDERS)
    for (let page = 1; page <= Math.ceil(expected.length / 3) + 1; page++) await expectPage(page, order, expected);
  for (let at = 0; at < expected.length; at += 3) {
    const range = { from: expected[at], to: expected[at + 4] };
    expect(await openPageIndex().count(range), JSON.stringify(range)).toBe(expected.slice(at, at + 4).length);
  }
}

/** Reads every page while only a subset of the changed items is visible. Tries each subset, or every seventh of many. */
async function expectEveryPageWhile(change: () => Promise<unknown>, expected: string[]) {
  const before = new Map([...lagging.versions].map(([key, versions]) => [key, versions.length]));
  await change();
  const changed = [...lagging.versions].flatMap(([key, { length }]) => (length > (before.get(key) ?? 1) ? [key] : []));
  expect(changed.length).toBeGreaterThan(1);
  const step = isThorough || changed.length < 5 ? 1 : 7;
  for (let visible = 0; visible < 2 ** changed.length; visible += step) {
    lagging.pick = (key, versions) => {
      const isVisible = !changed.includes(key) || visible & (1 << changed.indexOf(key));
      return isVisible ? versions.at(-1) : versions[(before.get(key) ?? 1) - 1];
    };
    await expectEveryPage(expected);
  }
}

test('pages are correct without an index', () => expectEveryPage(users));

describe.each([2, 4])('with %i blocks in a block', (blocks) => {
  test.each([
    [0, 4],
    [2, 8],
    [4, 5],
    [4, 7],
    [6, 7],
    [7, 8],
    [8, 11],
  ])('pages are correct while the index grows from %i to %i users, whichever writes are visible', async (from, to) => {
    if (from > 0) await indexUpTo(from, blocks);
    await expectEveryPageWhile(() => indexUpTo(to, blocks), users);
  });
});

test.each([SETTLING_MS + 1, 120_000])(
  'pages are correct while deletes of %i ms ago are folded, whichever blocks are visible',
  async (ago) => {
    await indexUpTo(COUNT, 2);
    const deleted = [users[0], users[4], users[10]];
    for (const id of deleted) await deleteUser({ id: String(id) }, 'test');
    await pause(ago);
    await expectEveryPageWhile(
      () => indexPages(),
      users.filter((id) => !deleted.includes(id)),
    );
  },
);

test('pages are correct while full blocks are split, whichever writes are visible', async () => {
  await indexUpTo(COUNT, 2);
  const imported = Array.from({ length: 6 }, (_, at) => uuidv7({ msecs: START + 2_500 + at }));
  for (const id of imported) await returnUser(id);
  await pause(SETTLING_MS + 1);
  await expectEveryPageWhile(() => indexPages(), [...users, ...imported].toSorted());
});

test('a total counts only unindexed users one by one, even if a replica lacks a block of the top level', async () => {
  await indexUpTo(COUNT, 2);
  await pause(SETTLING_MS);
  await indexPages();
  const listings = new Set<string>();
  lagging.pick = (key, versions, { IndexName, ConsistentRead, ExclusiveStartKey }) => {
    if (IndexName) listings.add(String(ExclusiveStartKey?.pk));
    return key === 'PAGES#2 0' && !ConsistentRead ? undefined : versions.at(-1);
  };
  expect(await openPageIndex().count()).toBe(COUNT);
  expect([...listings]).toEqual([userKey(String(users.at(-1))).pk]);
});

const addItem = (item: { pk: string; sk: string; directory?: string }) =>
  lagging.versions.set(`${item.pk} ${item.sk}`, [{ at: 0, item }]);

test('pages are correct with more tombstones than one query reads', async () => {
  await indexUpTo(COUNT, 2);
  await deleteUser({ id: String(users[3]) }, 'test');
  await pause(1_000);
  for (let at = 0; at < 2_100; at++)
    addItem(tombstoneKey(Date.now(), `ffffffff-0000-7000-8000-${String(at).padStart(12, '0')}`, 2));
  for (const order of ORDERS) await expectPage(2, order, users.toSpliced(3, 1));
});

test('pages are correct with 24,000 unfolded tombstones', async () => {
  await indexUpTo(COUNT, 2);
  const deleted = [users[0], users[4], users[10]];
  for (const id of deleted) {
    await deleteUser({ id: String(id) }, 'test');
    for (let at = 0; at < 8_000; at++)
      addItem(tombstoneKey(Date.now() + at, `ffffffff-0000-7000-8000-${String(at).padStart(12, '0')}`, 2));
    await pause(100_000);
  }
  const left = users.filter((id) => !deleted.includes(id));
  for (const order of ORDERS) await expectPage(2, order, left);
});

test('pages are correct while the directory still shows a deleted user', async () => {
  await indexUpTo(COUNT, 2);
  await deleteUser({ id: String(users[3]) }, 'test');
  lagging.pick = (_, versions, { IndexName }) => (IndexName ? versions[1] : versions.at(-1));
  await expectEveryPage(users.toSpliced(3, 1));
});

test('pages of a large block without visible children are correct while the directory still shows a deleted user', async () => {
  lagging.detach();
  await startWith(300);
  await pause(SETTLING_MS);
  sizes.fanout = { users: 40, blocks: 40 };
  await indexPages();
  const ids = [users[2], users[150], users[297]].map(String);
  for (const id of ids) await deleteUser({ id }, 'test');
  lagging.pick = (key, versions, { IndexName }) => {
    if (IndexName) return versions.findLast(({ item }) => item);
    return /^PAGES#[01] /.test(key) ? undefined : versions.at(-1);
  };
  await expectEveryPage(users.filter((id) => !ids.includes(id)));
});

test('too many unindexed users give SERVICE_UNAVAILABLE', async () => {
  for (let at = 0; at < 50_001; at++) addItem({ ...userKey(String(at).padStart(36, '0')), directory: DIRECTORY });
  await expect(listUsers({ page: 2, limit: 3 })).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: 'The index of page numbers is being completed; please try again in a minute',
    retryAfterSeconds: 60,
  });
});
