import { beforeEach, expect, test } from 'vitest';
import { deleteUser } from '../../../lib/users/delete.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { LEVELS, readBlocks, sumCounts } from '../../../lib/users/page-index/blocks.ts';
import { readCheckpoint } from '../../../lib/users/page-index/checkpoint.ts';
import { indexPages } from '../../../lib/users/page-index/indexer.ts';
import { pages } from '../../../lib/users/page-index/reader.ts';
import { clearTable, createUserAt } from './fixtures.ts';

const sizes = { users: 2, blocks: 2 };
const MINUTE = 60_000;
const start = Date.parse('2026-01-01');

/** One user a minute. */
async function createUsers(count: number): Promise<string[]> {
  const users: string[] = [];
  for (let minute = 0; minute < count; minute++) users.push(await createUserAt(start + minute * MINUTE));
  return users;
}

const held = async () => sumCounts(await readBlocks(2, { from: '0' }));

beforeEach(clearTable);

test('users of the last minute are left for the next run', async () => {
  await createUsers(5);
  await indexPages({ now: start + 3 * MINUTE + 1, sizes });
  expect(await held()).toBe(3);
  await indexPages({ now: start + 5 * MINUTE + 1, sizes });
  expect(await held()).toBe(5);
});

test('a run ends when there is no time for more, tells how long the next user is due, and the next run goes on', async () => {
  await createUsers(10);
  const now = start + 20 * MINUTE;
  expect(await indexPages({ now, sizes, more: () => false })).toEqual({ indexed: 4, ageSeconds: 16 * 60 });
  expect(await indexPages({ now, sizes })).toEqual({ indexed: 6, ageSeconds: 0 });
  expect(await held()).toBe(10);
});

test('blocks hold as many users as they may, on all levels', async () => {
  await createUsers(11);
  await indexPages({ now: start + 60 * MINUTE, sizes });
  const counts = LEVELS.map(async (level) => (await readBlocks(level, { from: '0' })).map(({ users }) => users));
  expect(await Promise.all(counts)).toEqual([
    [2, 2, 2, 2, 2, 1],
    [4, 4, 3],
    [8, 3],
  ]);
});

test('a step either fills the newest block or adds blocks to one of level 1', async () => {
  await createUsers(11);
  await indexPages({ now: start + 2 * MINUTE, sizes });
  const steps: number[] = [];
  const step = () => indexPages({ now: start + 60 * MINUTE, sizes, more: () => false });
  while ((await held()) < 11) steps.push((await step()).indexed);
  expect(steps).toEqual([1, 2, 4, 3]);
});

test('blocks of another size can go on behind those there are', async () => {
  const users = await createUsers(11);
  await indexPages({ now: start + 5 * MINUTE, sizes: { users: 5, blocks: 5 } });
  await indexPages({ now: start + 60 * MINUTE, sizes });
  expect(await held()).toBe(11);
  expect((await listUsers({ page: 3, limit: 4 })).users.map(({ id }) => id)).toEqual(users.slice(8));
});

test('two runs at once count each user once', async () => {
  await createUsers(20);
  const now = start + 60 * MINUTE;
  const runs = await Promise.all([indexPages({ now, sizes }), indexPages({ now, sizes })]);
  await indexPages({ now, sizes });
  expect(runs.reduce((sum, { indexed }) => sum + indexed, 0)).toBeLessThanOrEqual(20);
  expect(await held()).toBe(20);
});

test('thirty deletes at once, in the blocks that are just being indexed, are all done and counted', async () => {
  const users = await createUsers(40);
  await indexPages({ now: start + 20 * MINUTE, sizes });
  await Promise.all([
    indexPages({ now: start + 60 * MINUTE, sizes }),
    ...users.slice(5, 35).map((id) => deleteUser({ id })),
  ]);
  await indexPages({ now: start + 60 * MINUTE, sizes });
  expect(await pages().count()).toBe(10);
  expect(await held()).toBe(10);
  expect((await listUsers({ page: 2, limit: 4 })).users.map(({ id }) => id)).toEqual([
    users[4],
    ...users.slice(35, 38),
  ]);
});

test('removals are forgotten once the index has passed them', async () => {
  const [first = '', second = ''] = await createUsers(3);
  await deleteUser({ id: first });
  await deleteUser({ id: second });
  expect((await readCheckpoint()).removals).toBe(2);
  await indexPages({ now: start + 60 * MINUTE, sizes });
  expect((await readCheckpoint()).removals).toBe(0);
  expect(await held()).toBe(1);
});
