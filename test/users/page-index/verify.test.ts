import { DeleteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, test } from 'vitest';
import { blockKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { LEVELS } from '../../../lib/users/page-index/blocks.ts';
import { indexPages } from '../../../lib/users/page-index/indexer.ts';
import { pages } from '../../../lib/users/page-index/reader.ts';
import { verifyAll, verifyNext } from '../../../lib/users/page-index/verify.ts';
import { clearTable, createUserAt } from './fixtures.ts';

const sizes = { users: 2, blocks: 2 };
const MINUTE = 60_000;
const start = Date.parse('2026-01-01');
let users: string[];

const mendsOfAll = async () => (await all(verifyAll())).flatMap(({ mends }) => mends);

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const addByHand = (level: number, behind: string, users: number) =>
  table.send(
    new UpdateCommand({
      TableName,
      Key: blockKey(level, behind),
      UpdateExpression: 'ADD held :users',
      ExpressionAttributeValues: { ':users': users },
    }),
  );

beforeEach(async () => {
  await clearTable();
  users = [];
  for (let minute = 0; minute < 11; minute++) users.push(await createUserAt(start + minute * MINUTE));
  await indexPages({ now: start + 20 * MINUTE, sizes });
});

test('what is right is left alone', async () => {
  expect(await mendsOfAll()).toEqual([]);
  expect(await pages().count()).toBe(11);
});

test.each(LEVELS)('a count of level %i that someone changed is set right, and no other', async (level) => {
  await addByHand(level, '0', 5);
  const [mend, ...others] = await mendsOfAll();
  expect(mend).toMatchObject({ level, behind: '0' });
  expect(mend && mend.was - mend.is).toBe(5);
  expect(others).toEqual([]);
  expect(await pages().count()).toBe(11);
});

test('a user whose id is older than the index, from a clock that is behind, is counted', async () => {
  await createUserAt(start + 3.5 * MINUTE);
  expect(await pages().count()).toBe(11);
  expect((await mendsOfAll()).map(({ level, was, is }) => [level, is - was])).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
  expect(await pages().count()).toBe(12);
});

test('such a user may be deleted before and after that', async () => {
  const late = [await createUserAt(start + 30_000), await createUserAt(start + 90_000)];
  await deleteUser({ id: String(late[0]) });
  await mendsOfAll();
  expect(await pages().count()).toBe(12);
  await deleteUser({ id: String(late[1]) });
  expect(await mendsOfAll()).toEqual([]);
  expect(await pages().count()).toBe(11);
});

test('a user that someone took out of the table is counted no longer', async () => {
  await table.send(new DeleteCommand({ TableName, Key: userKey(String(users[4])) }));
  await mendsOfAll();
  expect(await pages().count()).toBe(10);
});

test('the runs of the schedule come by every count in turn', async () => {
  for (const behind of ['0', users[3], users[7]]) await addByHand(1, String(behind), 1);
  for (let run = 0; run < 3; run++) await verifyNext();
  expect(await mendsOfAll()).toEqual([]);
  expect(await pages().count()).toBe(11);
});
