import { isDeepStrictEqual } from 'node:util';
import { DeleteCommand, PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import type { Item } from '../../../lib/dynamodb/condition-failure.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { indexPages } from '../../../lib/users/page-index/indexer.ts';
import { clearTable, createUserAt } from './fixtures.ts';

const sizes = { users: 2, blocks: 2 };
const MINUTE = 60_000;
const start = Date.parse('2026-01-01');
const users: string[] = [];

const indexUpTo = (count: number) => indexPages({ now: start + count * MINUTE + 1, sizes });

/** All blocks, by their keys. */
async function blocks(): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true }))
    for (const item of Items) if (/^PAGES#\d/.test(item.pk)) found.set(`${item.pk} ${item.sk}`, item);
  return found;
}

async function show(key: string, Item: Item | undefined) {
  const [pk, sk] = key.split(' ');
  if (Item) await table.send(new PutCommand({ TableName, Item }));
  else await table.send(new DeleteCommand({ TableName, Key: { pk, sk } }));
}

async function clearIndex() {
  for (const key of await blocks().then((found) => found.keys())) await show(key, undefined);
  await show('PAGES CHECKPOINT', undefined);
}

async function expectEveryPage() {
  for (let page = 1; page <= 4; page++) {
    const shown = await listUsers({ page, limit: 3 });
    expect(shown.users.map(({ id }) => id)).toEqual(users.slice(3 * page - 3, 3 * page));
    expect(shown.total).toBe(users.length);
  }
}

beforeAll(async () => {
  await clearTable();
  for (let minute = 0; minute < 11; minute++) users.push(await createUserAt(start + minute * MINUTE));
});

test('pages are right without an index', expectEveryPage);

// A query is no snapshot of a transaction: each of its items may be seen as it was or as it is.
describe.each([
  ['starts the first blocks', 0, 4],
  ['adds to a block that has one before it', 7, 8],
  ['starts a block of the lowest level', 4, 5],
  ['adds a block to one of level 1', 6, 7],
  ['starts blocks of the two lower levels', 4, 7],
  ['starts blocks of all levels', 8, 11],
])('while a step that %s is being written', (_, before, after) => {
  test('pages are right whichever of the writes are seen', async () => {
    await clearIndex();
    await indexUpTo(before);
    const [was, is] = [await blocks(), await indexUpTo(after).then(blocks)];
    const changed = [...is.keys()].filter((key) => !isDeepStrictEqual(is.get(key), was.get(key)));
    for (let seen = 0; seen < 2 ** changed.length; seen++) {
      for (const [at, key] of changed.entries()) await show(key, (seen & (1 << at) ? is : was).get(key));
      await expectEveryPage();
    }
    expect(changed.length).toBeGreaterThan(1);
  });
});
