import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { checkTable } from '../../../../infra/scripts/table-consistency.ts';
import { putItems } from '../../../../lib/dynamodb/batches.ts';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { putDeletion } from '../../../../lib/features/change-log/deletions.ts';
import { verifyNextUsers } from '../../../../lib/features/repair/verify-users.ts';
import { createEntries } from '../../../../lib/features/search/entries.ts';
import { repairEntry } from '../../../../lib/features/search/entry-checks.ts';
import { searchKey } from '../../../../lib/features/search/keys.ts';
import type { User } from '../../../../lib/users/schema.ts';
import { newUser, toItem } from '../../users/stored-user.ts';
import { clearTable } from '../page-index/fixtures.ts';
import { byKey, putEntries, readEntries, write } from './fixtures.ts';

const users = [newUser('Ada Lovelace', 'ada@example.org'), newUser('Bob', 'bob@example.org')];
const [ada, bob] = users as [User, User];
const gone = newUser('Cy', 'cy@example.org');

beforeEach(async () => {
  await clearTable();
  await putItems(users.map(toItem));
  await putEntries(users);
});

const pause = async () => {};
const expectSound = async () =>
  expect((await readEntries()).sort(byKey)).toEqual(users.flatMap(createEntries).sort(byKey));

async function repairAll(): Promise<number> {
  const { found, repaired } = await checkTable({ repair: 'counts', pause });
  // An entry that is found by its user and by itself counts once.
  expect(Object.values(found).reduce((sum, count) => sum + count, 0)).toBe(repaired);
  return found['search entry that differs'] ?? 0;
}

const damages: Record<string, () => Promise<unknown>> = {
  'that is missing': () => table.send(new DeleteCommand({ TableName, Key: searchKey('lo', 'lovelace', ada.id) })),
  'of an old version': () => putEntries([{ ...ada, email: 'old@example.org', version: 0 }]),
  'of a version that a restore has lost': () => putEntries([{ ...ada, version: 7 }]),
  'edited by hand': () => putEntries([{ ...ada, createdAt: '2020-01-01T00:00:00.000Z' }]),
  'of an old name': () => putEntries([{ ...ada, name: 'Augusta' }]),
  'of a user who is gone': () => putEntries([gone]),
  'without a version': () => putItems([{ ...searchKey('ad', 'ada lovelace', ada.id), name: 'Ada' }]),
  'with the deletion marker of a later version': () => write({ ...ada, version: 8 }, undefined),
};

test.each(Object.entries(damages))('an entry %s is repaired, and only once', async (_, damage) => {
  await damage();
  expect(await repairAll()).toBeGreaterThan(0);
  await expectSound();
  expect(await repairAll()).toBe(0);
});

test('the schedule leaves users who have just changed to on-change', async () => {
  await putItems([toItem({ ...newUser('Eve'), updatedAt: new Date().toISOString() })]);
  expect(await verifyNextUsers(Date.now(), pause)).toMatchObject({ entries: 0 });
});

test('the schedule leaves users who were just deleted to on-change', async () => {
  await putEntries([gone]);
  const record = putDeletion(userKey(gone.id), { by: 'test', version: 2 }).Put?.Item;
  await putItems(record ? [record] : []);
  expect(await verifyNextUsers(Date.now(), pause)).toMatchObject({ entries: 0 });
  expect(await repairAll()).toBeGreaterThan(0);
});

test('what a repair removed stays removed when a late record comes', async () => {
  await putEntries([gone]);
  await repairAll();
  await write(undefined, gone);
  await expectSound();
});

test('a repair that meets a write changes nothing', async () => {
  const renamed = { ...bob, name: 'Bo', version: 2 };
  await putItems([toItem(renamed)]);
  await write(bob, renamed);
  expect(await repairEntry(searchKey('bo', 'bob', bob.id))).toEqual({ isWritten: false });
});
