import { DeleteCommand, PutCommand, paginateQuery, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import type { Item } from '../../../../lib/dynamodb/keys.ts';
import { environment } from '../../../../lib/environment.ts';
import { changeKey, changeLogHeadKey } from '../../../../lib/features/change-log/keys.ts';
import { allUsers, EPOCH } from '../../../../lib/features/change-log/topics.ts';
import { clearTable } from '../page-index/fixtures.ts';
import { append, newChange, newEnd } from './changes.ts';

const HOUR_MS = 3_600_000;
const { now } = environment;
beforeEach(clearTable);
afterEach(() => {
  environment.now = now;
});

async function readOrderItems(): Promise<Item[]> {
  const query = {
    TableName,
    ConsistentRead: true,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': changeKey(allUsers.name, '').pk },
  };
  const found: Item[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) found.push(...Items);
  return found;
}

const listNumbers = (items: Item[]) => items.map(({ sk }) => Number(sk));
const remove = ({ pk, sk }: Item) => table.send(new DeleteCommand({ TableName, Key: { pk, sk } }));

/** Hides items until another environment has sent `requests` more requests, as if a transaction became visible slowly. */
async function hide(items: Item[], requests: number): Promise<void> {
  for (const item of items) await remove(item);
  let left = requests;
  const name = 'showHidden';
  table.middlewareStack.add(
    (next) => async (args) => {
      if (left-- === 0) for (const Item of items) await table.send(new PutCommand({ TableName, Item }));
      return next(args);
    },
    { step: 'initialize', name },
  );
  onTestFinished(() => void table.middlewareStack.remove(name));
}

/** Creates a log with entries that are 30 hours old, and a new run as if another environment had just started it. */
async function startNewRun(): Promise<{ old: Item; closing: Item; first: Item }> {
  environment.now = () => now() - 30 * HOUR_MS;
  await append([newChange('ada')], newEnd());
  environment.now = now;
  await append([newChange('bob')], newEnd());
  const [old, closing, first, ...others] = await readOrderItems();
  expect(others).toEqual([]);
  return { old, closing, first } as Record<'old' | 'closing' | 'first', Item>;
}

test('a new run follows the old one after an entry without changes', async () => {
  const { old, closing, first } = await startNewRun();
  expect(closing).toMatchObject({ previous: Number(old.sk), at: old.at, refs: [] });
  expect(listNumbers([closing, first])[0]).toBe(Number(old.sk) + 1);
  expect(first).toMatchObject({ previous: 0 });
});

// The numbers count requests of an append: for the entry, the end of the log, its head, its end again, then for what
// follows the end.
test.each([1, 3, 8])(
  'an environment that sees only the end of the old run until %i requests later appends to the new one',
  async (requests) => {
    const { old, closing, first } = await startNewRun();
    await hide([first], requests);
    await append([newChange('cy')], newEnd());
    const numbers = listNumbers(await readOrderItems());
    expect(numbers).toEqual([...listNumbers([old, closing, first]), Number(first.sk) + 1]);
  },
);

test.each([1, 3, 8])(
  'an environment that sees only the head of a run until %i requests later appends to the run',
  async (requests) => {
    await append([newChange('ada')], newEnd());
    const [first = {}] = await readOrderItems();
    await hide([first], requests);
    await append([newChange('bob')], newEnd());
    expect(listNumbers(await readOrderItems())).toEqual([Number(first.sk), Number(first.sk) + 1]);
  },
);

test('a run starts although the head is left of a run that has expired', async () => {
  environment.now = () => now() - 30 * HOUR_MS;
  await append([newChange('ada')], newEnd());
  const [first = {}] = await readOrderItems();
  await remove(first);
  environment.now = now;
  await append([newChange('bob')], newEnd());
  const [second] = listNumbers(await readOrderItems());
  expect(second).toBeGreaterThan(Number(first.sk));
  const { Items = [] } = await table.send(new ScanCommand({ TableName, ConsistentRead: true }));
  const head = Items.find(({ pk, sk }) => pk === changeLogHeadKey(EPOCH).pk && sk === 'HEAD');
  expect(head?.number).toBe(second);
});
