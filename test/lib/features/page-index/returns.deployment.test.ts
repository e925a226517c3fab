import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { environment } from '../../../../lib/environment.ts';
import { foldAdjustments } from '../../../../lib/features/page-index/fold.ts';
import { returnKey, tombstoneKey } from '../../../../lib/features/page-index/keys.ts';
import { openPageIndex } from '../../../../lib/features/page-index/reader.ts';
import { splitBlocks } from '../../../../lib/features/page-index/split.ts';
import { SETTLING_MS } from '../../../../lib/features/page-index/timing.ts';
import { type Repair, repairAll, verifyAll, verifyCounts } from '../../../../lib/features/page-index/verify.ts';
import { sizes } from '../../../../lib/sizes.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { listUsers } from '../../../../lib/users/list.ts';
import {
  clearTable,
  createUserAt,
  createUsers,
  index,
  MINUTE,
  pause,
  returnUser,
  START,
  simulatePageIndex,
} from './fixtures.ts';
import { findFullBlocks, findViolations } from './invariant.ts';
import { LaggingTable } from './lagging-table.ts';

let users: string[];
let id: string;

simulatePageIndex();
beforeEach(async () => {
  await clearTable();
  users = await createUsers(11);
  id = String(users[4]);
  await index();
});
afterEach(async () => {
  await index();
  expect(await findViolations()).toEqual([]);
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const count = () => openPageIndex().count();

async function repairEverything(): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for await (const verified of verifyAll()) repairs.push(...(await repairAll(verified)));
  return repairs;
}

async function expectPages(expected: string[]) {
  for (let page = 1; page <= 4; page++) {
    const { users, total } = await listUsers({ page, limit: 3 });
    expect({ ids: users.map(({ id }) => id), total }).toEqual({
      ids: expected.slice(3 * page - 3, 3 * page),
      total: expected.length,
    });
  }
}

test.each([
  ['at once', 0],
  ['before the deletion is folded', SETTLING_MS],
  ['after the deletion is folded', 3 * MINUTE],
])('a user who returns %s, is deleted and returns again is counted while existing', async (_, wait) => {
  for (let round = 0; round < 2; round++) {
    await deleteUser({ id }, 'test');
    await expectPages(users.toSpliced(4, 1));
    await pause(wait);
    if (wait > MINUTE) await index();
    await returnUser(id);
    await expectPages(users);
    await pause(wait);
  }
  await index();
  await expectPages(users);
  expect(await repairEverything()).toEqual([]);
});

test('a verification splits blocks that an interrupted index run has left full', async () => {
  const imported = Array.from({ length: 20 }, (_, at) => uuidv7({ msecs: START + 2_500 + at }));
  for (const id of imported) await returnUser(id);
  await pause(SETTLING_MS + 1);
  expect(await foldAdjustments(() => true, new Set())).toMatchObject({ folded: imported.length });
  expect(await findFullBlocks()).not.toEqual([]);
  for (let run = 0; run < 10; run++) await Array.fromAsync(verifyCounts());
  expect(await findFullBlocks()).toEqual([]);
  expect(await findViolations()).toEqual([]);
  await expectPages([...users, ...imported].toSorted());
});

test('an index run splits blocks with more users than one step lists, or one transaction writes', async () => {
  const { indexedUsers, blocksPerBatch } = sizes;
  Object.assign(sizes, { indexedUsers: 9, blocksPerBatch: 3 });
  try {
    // Into the first, a middle and the newest block.
    const imported = [500, 4_500, 9_500].flatMap((after) =>
      Array.from({ length: 20 }, (_, at) => uuidv7({ msecs: START + after + at })),
    );
    for (const id of imported) await returnUser(id);
    await index();
    expect(await findFullBlocks()).toEqual([]);
    expect(await findViolations()).toEqual([]);
    await expectPages([...users, ...imported].toSorted());
    await createUserAt(Date.now());
    expect(await index()).toMatchObject({ indexed: 1 });
  } finally {
    Object.assign(sizes, { indexedUsers, blocksPerBatch });
  }
});

test('one pause is enough to split many blocks', async () => {
  for (const after of [500, 2_500, 4_500, 6_500])
    for (let at = 0; at < 5; at++) await returnUser(uuidv7({ msecs: START + after + at }));
  await pause(SETTLING_MS + 1);
  const full = new Set<string>();
  await foldAdjustments(() => true, full);
  expect(full.size).toBe(4);
  const pauses = vi.spyOn(environment, 'pause');
  await splitBlocks(full, () => true);
  expect(pauses).toHaveBeenCalledOnce();
  expect(await findFullBlocks()).toEqual([]);
});

test('an import under a new id is counted in the blocks of its time', async () => {
  const imported = uuidv7({ msecs: START + 2_500 });
  await returnUser(imported);
  await expectPages(users.toSpliced(3, 0, imported));
  await index();
  expect(await repairEverything()).toEqual([]);
  await deleteUser({ id: imported }, 'test');
  await expectPages(users);
});

test('an import under an id newer than the blocks is counted once indexed', async () => {
  const imported = uuidv7({ msecs: Date.now() });
  await returnUser(imported);
  await expectPages([...users, imported]);
  await index();
  await expectPages([...users, imported]);
});

test('a user deleted and returned before being indexed is indexed once the order is clear', async () => {
  const created = await createUserAt(Date.now());
  await pause(SETTLING_MS - 1_000);
  await deleteUser({ id: created }, 'test');
  await pause(1_000);
  await returnUser(created);
  expect(await index()).toMatchObject({ indexed: 0 });
  await expectPages([...users, created]);
  await pause(MINUTE);
  expect(await index()).toMatchObject({ indexed: 1 });
  await expectPages([...users, created]);
});

test('skewed clocks do not swap a deletion and a return of an unindexed user', async () => {
  const created = await createUserAt(Date.now());
  await pause(SETTLING_MS);
  // The tombstone is later than the return, as if the deleting function's clock were 500 ms fast.
  for (const Item of [tombstoneKey(Date.now() + 500, created, 2), returnKey(Date.now(), created, 3)])
    await table.send(new PutCommand({ TableName, Item }));
  for (let run = 0; run < 5; run++) {
    await index();
    await pause(SETTLING_MS);
  }
  await expectPages([...users, created]);
});

test('two returns that skewed clocks date to the same millisecond both count', async () => {
  const [deleted, now] = [String(users[4]), Date.now()];
  const adjustments = [
    tombstoneKey(now, deleted, 2),
    returnKey(now + 500, deleted, 3),
    tombstoneKey(now + 100, deleted, 4),
    returnKey(now + 500, deleted, 5),
  ];
  for (const Item of adjustments) await table.send(new PutCommand({ TableName, Item }));
  await pause(MINUTE);
  await index();
  await expectPages(users);
  expect(await repairEverything()).toEqual([]);
});

test('a return dated before its deletion by a skewed clock counts, even if only the newest adjustments are read', async () => {
  await clearTable();
  const created = await createUserAt(Date.now());
  for (const Item of [tombstoneKey(Date.now(), created, 2), returnKey(Date.now() - 100, created, 3)])
    await table.send(new PutCommand({ TableName, Item }));
  const { recentAdjustments } = sizes;
  sizes.recentAdjustments = 1;
  try {
    expect(await count()).toBe(1);
  } finally {
    sizes.recentAdjustments = recentAdjustments;
  }
});

test('a deletion that the read of the newest adjustments returned counts, even if the read of older ones lags', async () => {
  await deleteUser({ id }, 'test');
  await pause(1);
  const lagging = new LaggingTable();
  await lagging.attach();
  const newest = String(users[5]);
  await deleteUser({ id: newest }, 'test');
  // Hides the newest deletion, except from the read of the newest adjustments, which reads backwards.
  lagging.pick = (key, versions, { ScanIndexForward }) =>
    key.includes('ADJUSTMENTS') && key.includes(newest) && ScanIndexForward !== false ? undefined : versions.at(-1);
  const { recentAdjustments } = sizes;
  sizes.recentAdjustments = 1;
  try {
    expect(await count()).toBe(9);
  } finally {
    sizes.recentAdjustments = recentAdjustments;
    lagging.detach();
  }
});

test('a verification beside a return that the directory does not show yet changes nothing', async () => {
  await deleteUser({ id }, 'test');
  await pause(3 * MINUTE);
  await index();
  const lagging = new LaggingTable();
  await lagging.attach();
  const returnedAt = Date.now();
  lagging.pick = (key, versions, { IndexName }) =>
    IndexName && key.includes(id) && Date.now() < returnedAt + SETTLING_MS - 1_000 ? versions[0] : versions.at(-1);
  try {
    await returnUser(id);
    expect(await repairEverything()).toEqual([]);
  } finally {
    lagging.detach();
  }
  expect(await count()).toBe(11);
});

test('a total is not negative while a replica shows both deletions of a user without the return between them', async () => {
  await clearTable();
  [id = ''] = await createUsers(1);
  await index();
  const lagging = new LaggingTable();
  await lagging.attach();
  await deleteUser({ id }, 'test');
  await pause(1);
  await returnUser(id);
  await pause(1);
  await deleteUser({ id }, 'test');
  lagging.pick = (key, versions) => (key.includes('#RETURN') ? undefined : versions.at(-1));
  try {
    expect(await count()).toBe(0);
  } finally {
    lagging.detach();
  }
});
