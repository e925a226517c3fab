import { TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { LEVELS } from '../../../../lib/features/page-index/blocks.ts';
import { blockKey, tombstoneKey } from '../../../../lib/features/page-index/keys.ts';
import { openPageIndex } from '../../../../lib/features/page-index/reader.ts';
import { GSI_LAG_MS, SETTLING_MS, VERIFY_AFTER_MS } from '../../../../lib/features/page-index/timing.ts';
import { type Repair, repairAll, verifyAll, verifyCounts } from '../../../../lib/features/page-index/verify.ts';
import { jobs } from '../../../../lib/maintenance/jobs.ts';
import { runJobs } from '../../../../lib/maintenance/run.ts';
import { sizes } from '../../../../lib/sizes.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { listUsers } from '../../../../lib/users/list.ts';
import {
  clearTable,
  createUserAt,
  createUsers,
  createUsersAt,
  index,
  pause,
  START,
  simulatePageIndex,
} from './fixtures.ts';
import { findViolations } from './invariant.ts';
import { LaggingTable } from './lagging-table.ts';

let users: string[];
const { adjustments } = sizes;

const runMaintenance = () => runJobs(jobs, () => true);
const count = () => openPageIndex().count();

async function repairEverything(): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for await (const verified of verifyAll()) repairs.push(...(await repairAll(verified)));
  return repairs;
}

const addByHand = (level: number, startAfter: string, added: number) =>
  table.send(
    new UpdateCommand({
      TableName,
      Key: blockKey(level, startAfter),
      UpdateExpression: 'ADD #count :added',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: { ':added': added },
    }),
  );

simulatePageIndex();
beforeEach(async () => {
  await clearTable();
  users = await createUsers(11);
  await index();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  sizes.adjustments = adjustments;
});

test('correct counts stay unchanged', async () => {
  expect(await repairEverything()).toEqual([]);
  expect(await findViolations()).toEqual([]);
});

test.each(LEVELS)('only a wrong count of level %i is repaired', async (level) => {
  await addByHand(level, '0', 5);
  const [repair, ...others] = await repairEverything();
  expect(repair).toMatchObject({ level, startAfter: '0' });
  expect(repair && repair.was - repair.is).toBe(5);
  expect(others).toEqual([]);
  expect(await findViolations()).toEqual([]);
});

test('a user who appears late in the GSI is counted once verified', async () => {
  await createUserAt(START + 3_500);
  expect(await count()).toBe(11);
  expect((await repairEverything()).map(({ level, was, is }) => [level, is - was])).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
  expect(await count()).toBe(12);
});

test('a run some minutes later counts such a user', async () => {
  await createUserAt(START + 9_500);
  await pause(VERIFY_AFTER_MS);
  expect(Object(await runMaintenance()).pageCounts.repairs).toHaveLength(3);
  expect(await count()).toBe(12);
  expect(await runMaintenance()).toMatchObject({ pageCounts: { repairs: [] } });
});

test('such a user can be deleted before and after that', async () => {
  const late = [await createUserAt(START + 500), await createUserAt(START + 1_500)];
  await deleteUser({ id: String(late[0]) }, 'test');
  await repairEverything();
  expect(await count()).toBe(12);
  await deleteUser({ id: String(late[1]) }, 'test');
  await index();
  expect(await repairEverything()).toEqual([]);
  expect(await count()).toBe(11);
});

test('a user removed from the table by hand is no longer counted', async () => {
  await table.send(new DeleteCommand({ TableName, Key: userKey(String(users[4])) }));
  await repairEverything();
  expect(await count()).toBe(10);
});

test('a user removed by hand beside a damaged user is no longer counted', async () => {
  const [damaged, removed] = [userKey(String(users[4])), userKey(String(users[5]))];
  await table.send(new UpdateCommand({ TableName, Key: damaged, UpdateExpression: 'REMOVE createdAt' }));
  await table.send(new DeleteCommand({ TableName, Key: removed }));
  await repairEverything();
  expect(await count()).toBe(10);
});

test('a verification whose time is up leaves repairs to the next one', async () => {
  await addByHand(0, '0', 3);
  const [late] = await Array.fromAsync(verifyCounts(() => false));
  expect(late).toEqual([]);
  const next = (await Array.fromAsync({ length: 8 }, () => Array.fromAsync(verifyCounts()))).flat(2);
  expect(next).toContainEqual({ level: 0, startAfter: '0', was: 5, is: 2 });
});

test('scheduled runs verify every block in rotation', async () => {
  const starts = ['0', String(users[3]), String(users[7])];
  for (const startAfter of starts) await addByHand(1, startAfter, 1);
  const repaired: string[] = [];
  for (let run = 0; run < 3; run++)
    for (const repair of (await Array.fromAsync(verifyCounts())).at(-1) ?? [])
      if (repair.level === 1) repaired.push(repair.startAfter);
  expect(repaired.toSorted()).toEqual(starts);
  expect(await findViolations()).toEqual([]);
});

test('a verification changes nothing while only the tombstone of a delete is visible', async () => {
  const Key = tombstoneKey(Date.now(), String(users[2]), 2);
  await table.send(new PutCommand({ TableName, Item: Key }));
  await repairEverything();
  await table.send(new DeleteCommand({ TableName, Key: userKey(String(users[2])) }));
  expect(await findViolations()).toEqual([]);
  expect(await count()).toBe(10);
});

test('a verification changes nothing while the tombstone of a delete is not visible yet', async () => {
  const lagging = new LaggingTable();
  await lagging.attach();
  const deletedAt = Date.now();
  // The GSI hides the deleted user at once, but queries show the tombstone a second later.
  lagging.pick = (key, versions) =>
    key.startsWith('PAGES#A') && Date.now() < deletedAt + 1_000 ? versions[0] : versions.at(-1);
  try {
    await deleteUser({ id: String(users[2]) }, 'test');
    await repairEverything();
  } finally {
    lagging.detach();
  }
  expect(await findViolations()).toEqual([]);
});

test('one run folds more deletes than one fold reads, indexes new users and verifies, whatever its other jobs do', async () => {
  sizes.adjustments = 3;
  await addByHand(0, '0', 5);
  for (const id of users.slice(0, 8)) await deleteUser({ id }, 'test');
  await pause(SETTLING_MS + 1);
  const [created = ''] = await createUsersAt([Date.now()]);
  await pause(GSI_LAG_MS + 1);
  const { pageIndex, pageCounts } = await runMaintenance();
  expect(pageIndex).toEqual({ indexed: 1, folded: 8, ageSeconds: 0 });
  expect(Object(pageCounts).repairs).toHaveLength(1);
  expect(await findViolations()).toEqual([]);
  expect((await listUsers({ page: 1, limit: 10 })).users.map(({ id }) => id)).toEqual([...users.slice(8), created]);
});

test('a transaction in conflict with the write of the checkpoint does not fail the run', async () => {
  const send = table.send.bind(table);
  let conflicts = 2;
  vi.spyOn(table, 'send').mockImplementation(((command: object, ...rest: []) =>
    command instanceof UpdateCommand && conflicts-- > 0
      ? Promise.reject(new TransactionConflictException({ message: 'met', $metadata: {} }))
      : send(command as never, ...rest)) as never);
  await expect(runMaintenance()).resolves.toMatchObject({ pageCounts: { repairs: [] } });
});
