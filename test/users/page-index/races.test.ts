import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import { blockKey } from '../../../lib/dynamodb/keys.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { readBlocks } from '../../../lib/users/page-index/blocks.ts';
import { indexPages } from '../../../lib/users/page-index/indexer.ts';
import { verifyAll } from '../../../lib/users/page-index/verify.ts';
import { clearTable, createUserAt, during, showDeleted } from './fixtures.ts';

const sizes = { users: 2, blocks: 2 };
const MINUTE = 60_000;
const start = Date.parse('2026-01-01');
const now = start + 30 * MINUTE;

const index = () => indexPages({ now, sizes });

async function recount(): Promise<number> {
  let mends = 0;
  for await (const found of verifyAll()) mends += found.mends.length;
  return mends;
}

/** Five users that are indexed and four that are due, one a minute; `deleted` go on to be shown by the directory. */
async function startOver(deleted: Set<string>) {
  await clearTable();
  const users: string[] = [];
  for (let minute = 0; minute < 9; minute++) users.push(await createUserAt(start + minute * MINUTE));
  await indexPages({ now: start + 5 * MINUTE + 1, sizes });
  const remove = (at: number) => async () => {
    const id = users[at] ?? '';
    await deleteUser({ id });
    deleted.add(id);
  };
  return { users, remove };
}

/** One of the first block too many, as a mistake by hand would leave it. */
const miscount = () =>
  table.send(
    new UpdateCommand({
      TableName,
      Key: blockKey(0, '0'),
      UpdateExpression: 'ADD held :one',
      ExpressionAttributeValues: { ':one': 1 },
    }),
  );

async function expectUsers(users: string[]) {
  for (const page of [1, 2, 3, 4, 5]) {
    const shown = await listUsers({ page, limit: 2 });
    expect(shown.users.map(({ id }) => id)).toEqual(users.slice(2 * page - 2, 2 * page));
    expect(shown.total).toBe(users.length);
  }
}

const INDEXED = 1;
const DUE = 6;

const REQUESTS = Array.from({ length: 18 }, (_, at) => at);

describe.each([
  ['an indexed user', INDEXED],
  ['a user who is due', DUE],
])('an index run with the delete of %s in the middle', (_, victim) => {
  test.each(REQUESTS.slice(0, 8))('before request %i, which the directory shows late', async (request) => {
    const deleted = new Set<string>();
    const { users, remove } = await startOver(deleted);
    const end = showDeleted(deleted);
    try {
      await during(index, request, remove(victim));
      const left = users.filter((id) => !deleted.has(id));
      await expectUsers(left);
      await index();
      await expectUsers(left);
      expect(await recount()).toBe(0);
    } finally {
      end();
    }
  });
});

test.each(REQUESTS)('a recount that mends, with a delete before request %i', async (request) => {
  const { users, remove } = await startOver(new Set());
  await miscount();
  await during(recount, request, remove(INDEXED));
  await expectUsers(users.toSpliced(INDEXED, 1));
  expect(await recount()).toBe(0);
});

test.each(REQUESTS.slice(0, 4))(
  'an index run before request %i of the delete of a user who is due',
  async (request) => {
    const { users, remove } = await startOver(new Set());
    await during(remove(DUE), request, index);
    await index();
    await expectUsers(users.toSpliced(DUE, 1));
    expect(await recount()).toBe(0);
  },
);

test.each(REQUESTS)(
  'a recount does not write what it read before another mended, before request %i',
  async (request) => {
    const { remove } = await startOver(new Set());
    await miscount();
    await during(recount, request, async () => {
      await recount();
      await remove(INDEXED)();
      // Now the count is again what the first recount read, but no longer is the truth what it found.
      await miscount();
      await miscount();
    });
    const [first] = await readBlocks(0, { from: '0' });
    expect([1, 3]).toContain(first?.users);
  },
);
