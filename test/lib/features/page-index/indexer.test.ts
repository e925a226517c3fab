import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MAX_ERROR_MS } from '../../../../infra/scripts/transfer/clock.ts';
import { environment } from '../../../../lib/environment.ts';
import { type Block, LEVELS, readBlocks } from '../../../../lib/features/page-index/blocks.ts';
import { readCheckpoint } from '../../../../lib/features/page-index/checkpoint.ts';
import { indexPages } from '../../../../lib/features/page-index/indexer.ts';
import { openPageIndex } from '../../../../lib/features/page-index/reader.ts';
import { SETTLING_MS, VISIBILITY_MS } from '../../../../lib/features/page-index/timing.ts';
import { sizes } from '../../../../lib/sizes.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { listUsers } from '../../../../lib/users/list.ts';
import { WRITE_ATTEMPT_MS } from '../../../../lib/users/write.ts';
import { clearTable, createUsers, createUsersAt, index, pause, simulatePageIndex } from './fixtures.ts';
import { findViolations } from './invariant.ts';

const readLevel = async (level: number): Promise<Block[]> => {
  const { indexedUpTo } = await readCheckpoint();
  return readBlocks(level, { startAfter: '0', lastId: indexedUpTo });
};
const sumTop = async () => (await readLevel(2)).reduce((sum, { count }) => sum + count, 0);

simulatePageIndex();
beforeEach(clearTable);
afterEach(async () => {
  expect(await findViolations()).toEqual([]);
  vi.useRealTimers();
});

test('a user settles after the last attempt of its write', () => {
  expect(SETTLING_MS).toBeGreaterThan(WRITE_ATTEMPT_MS);
});

test.each([
  ['deletion by a slow clock', -MAX_ERROR_MS, 0],
  ['deletion after an indexer with a fast clock', 0, MAX_ERROR_MS],
])('a %s is counted, although its write takes long', async (_, writerErrorMs, indexerErrorMs) => {
  const { now } = environment;
  const [id = ''] = await createUsers(10);
  environment.now = () => Date.now() + indexerErrorMs;
  await index();
  environment.now = () => Date.now() - WRITE_ATTEMPT_MS + writerErrorMs;
  await deleteUser({ id }, 'test').finally(() => Object.assign(environment, { now }));
  await index();
  expect(await sumTop()).toBe(9);
});

test('users are indexed once they have settled', async () => {
  await createUsers(10);
  await indexPages();
  expect(await sumTop()).toBe(10 - SETTLING_MS / 1000);
  await index();
  expect(await sumTop()).toBe(10);
});

test('blocks of all levels are filled', async () => {
  await createUsers(11);
  await index();
  const counts = await Promise.all(LEVELS.map(async (level) => (await readLevel(level)).map(({ count }) => count)));
  expect(counts).toEqual([
    [2, 2, 2, 2, 2, 1],
    [4, 4, 3],
    [8, 3],
  ]);
});

test('batches fit into a transaction', async () => {
  await createUsers(250);
  await index();
  expect(await sumTop()).toBe(250);
});

test('a run out of time writes one batch and reports that it is not up to date', async () => {
  await createUsers(250);
  const { indexed, isUpToDate } = await index(() => false);
  expect(indexed).toBeLessThan(250);
  expect(isUpToDate).toBe(false);
  expect(await index()).toEqual({ indexed: 250 - indexed, folded: 0, isUpToDate: true, isBusy: false });
});

test('blocks of another size can follow', async () => {
  const users = await createUsers(11);
  const { fanout } = sizes;
  sizes.fanout = { users: 5, blocks: 5 };
  await indexPages();
  sizes.fanout = fanout;
  await index();
  expect((await listUsers({ page: 3, limit: 4 })).users.map(({ id }) => id)).toEqual(users.slice(8));
});

test('two parallel runs count each user once', async () => {
  await createUsers(20);
  await pause(SETTLING_MS);
  await Promise.all([index(), index()]);
  await index();
  expect(await sumTop()).toBe(20);
});

test('thirty parallel deletes beside the indexer all succeed and are counted', async () => {
  const users = await createUsers(40);
  await Promise.all([index(), ...users.slice(5, 35).map((id) => deleteUser({ id }, 'test'))]);
  expect(await openPageIndex().count()).toBe(10);
  await index();
  await index();
  expect(await sumTop()).toBe(10);
  expect((await listUsers({ page: 2, limit: 4 })).users.map(({ id }) => id)).toEqual([
    users[4],
    ...users.slice(35, 38),
  ]);
});

test('a settled delete of an indexed user is folded into the blocks of all levels', async () => {
  const [id = ''] = await createUsers(11);
  await index();
  await deleteUser({ id }, 'test');
  await indexPages();
  expect(await sumTop()).toBe(11);
  expect(await index()).toMatchObject({ folded: 1, isUpToDate: true });
  expect(await Promise.all(LEVELS.map(async (level) => (await readLevel(level))[0]?.count))).toEqual([1, 3, 7]);
});

test('a user deleted before being indexed is never counted', async () => {
  const users = await createUsers(3);
  await deleteUser({ id: String(users[1]) }, 'test');
  await index();
  expect(await sumTop()).toBe(2);
});

test('an unsettled delete stays pending in the newest block when users are appended', async () => {
  const users = await createUsers(3);
  await index();
  await createUsersAt([Date.now()]);
  await pause(SETTLING_MS - 1_000);
  await deleteUser({ id: String(users[2]) }, 'test');
  await pause(1_500);
  expect(await indexPages()).toMatchObject({ indexed: 1, folded: 0 });
  expect(await findViolations()).toEqual([]);
  expect(await openPageIndex().count()).toBe(3);
});

test('under traffic, the run continues every few seconds', async () => {
  await createUsers(50);
  let cycles = 0;
  environment.pause = async (milliseconds) => {
    if (cycles++ < 3) await createUsersAt(Array(45).fill(Date.now()));
    await pause(milliseconds + SETTLING_MS);
  };
  const { indexed } = await index();
  expect(indexed).toBe(50 + 3 * 45);
});

test('a few new users do not prolong the run', async () => {
  await createUsers(3);
  const pauses: number[] = [];
  environment.pause = async (milliseconds) => void pauses.push(milliseconds);
  await index();
  expect(pauses).toEqual([VISIBILITY_MS]);
});
