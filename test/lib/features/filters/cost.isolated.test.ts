import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { measureCost } from '../../../../infra/bench/measure.ts';
import { table } from '../../../../lib/dynamodb/client.ts';
import { filterCriterion, sortCriterion } from '../../../../lib/features/filters/criteria.ts';
import { filterFields } from '../../../../lib/features/filters/entries.ts';
import type { Criterion } from '../../../../lib/users/criteria.ts';
import type { Order } from '../../../../lib/users/directory.ts';
import { listUsers } from '../../../../lib/users/list.ts';
import { createUser, updateUser } from '../../../../lib/users/write.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { clearTable } from '../page-index/fixtures.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/list-own-fields.json';
});

const measureWrites = async (run: () => Promise<unknown>): Promise<number> => {
  const { writes, indexWrites } = await measureCost(run);
  return writes + indexWrites;
};

const createWith = (fields: object) => createUser({ ...newPerson(), name: 'Ada Lovelace', ...fields }, 'test');
const create = (fields: object) => measureWrites(() => createWith(fields));

test('a value costs a creation two write units per entry', async () => {
  const none = await create({});
  expect(await create({ plan: 'pro' })).toBe(none);
  expect(await create({ tags: ['a', 'b'] })).toBe(none + 4);
  expect(await create({ active: true })).toBe(none + 2);
  expect(await create({ note: 'no entry' })).toBe(none);
});

test('a creation writes 2 units into the partition of a value, so 500 creations a second fill the 1,000 of a partition', async () => {
  const sent: { pk: string; bytes: number }[] = [];
  table.middlewareStack.add(
    (next) => (args) => {
      const { TransactItems = [] } = args.input as TransactWriteCommandInput; // A creation sends only this command.
      sent.push(...TransactItems.flatMap(({ Put }) => (Put?.Item ? measureItem(Put.Item) : [])));
      return next(args);
    },
    { step: 'initialize', name: 'sent' },
  );
  await createWith({ plan: 'pro' }).finally(() => table.middlewareStack.remove('sent'));
  const entries = sent.filter(({ pk }) => pk === 'LIST#plan=pro');
  // An entry costs two write units: DynamoDB rounds up to 1 kB and charges transactions double.
  expect(entries.map(({ bytes }) => 2 * Math.ceil(bytes / 1024))).toEqual([2]);
});

const measureItem = ({ pk, ...item }: Record<string, unknown>) => ({
  pk: String(pk),
  bytes: JSON.stringify({ pk, ...item }).length,
});

test('a change of a filter or sort value costs five more write units than other changes, which pay for no entry', async () => {
  const { user } = await createWith({ plan: 'free', hired: '2026-01-31' });
  const update = (changes: object) => measureWrites(() => updateUser({ id: user.id, ...changes }, 'test'));
  expect(await update({ note: 'another' })).toBe(2);
  expect(await update({ plan: 'pro' })).toBe(7);
  expect(await update({ plan: 'pro', note: 'again' })).toBe(2);
  // Two entries change, because `hired` is both a filter and a sort field.
  expect(await update({ hired: '2026-02-28' })).toBe(11);
});

test('each page of 20 costs at most 12 RCU and two round trips, also where users without a value begin', async () => {
  await clearTable();
  for (let at = 0; at < 70; at++) await createWith(at < 30 ? { seats: at } : {});
  const [plan] = filterFields;
  if (!plan) throw new Error('No filter is declared');
  const lists: Criterion[] = [filterCriterion(plan, ['free']), sortCriterion('name'), sortCriterion('seats')];
  for (const criterion of lists)
    for (const order of ['asc', 'desc'] satisfies Order[])
      for (let after: string | undefined; ; ) {
        const query = { criteria: [criterion], order, limit: 20, after };
        const { reads, rounds } = await measureCost(() => listUsers(query));
        expect(reads).toBeLessThanOrEqual(12);
        // The page where users without a value begin reads two ranges of keys.
        expect(rounds).toBeLessThanOrEqual(3);
        after = (await listUsers(query)).next;
        if (after === undefined) break;
      }
});

test('a list that tests users charges 700 items before it reads, then what exceeds them, and returns what is left', async () => {
  const charges: number[] = [];
  let reads = [400, 500, 50];
  const driver: Criterion = {
    parameters: {},
    matches: () => true,
    driver: {
      kind: 'change',
      maxPage: 100,
      findCursorIssue: () => undefined,
      open:
        ({ onRead }) =>
        async () => {
          expect(charges).toEqual([700]);
          for (const items of reads) onRead(items);
          return { candidates: [], next: undefined };
        },
    },
  };
  const list = () => listUsers({ criteria: [driver, matchesNobody], limit: 20 }, (items) => charges.push(items));
  await list();
  expect(charges).toEqual([700, 0, 200, 50]);
  charges.length = 0;
  reads = [50];
  await list();
  expect(charges).toEqual([700, 0, -650]);
});

const matchesNobody: Criterion = { parameters: {}, matches: () => false };
