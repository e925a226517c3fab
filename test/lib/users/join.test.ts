import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import type { CreationRange, Order } from '../../../lib/users/directory.ts';
import { Join } from '../../../lib/users/join.ts';
import { countRuns } from '../../setup/seed.ts';

const ids = Array.from({ length: 900 }, (_, at) => uuidv7({ msecs: 1_700_000_000_000 + at })).toSorted();

let lists = 0;

/** Writes the ids to a new partition. */
async function putList(listed: readonly string[]): Promise<string> {
  const pk = `LIST#join=${++lists}`;
  await putItems(listed.map((sk) => ({ pk, sk })));
  return pk;
}

type Query = { order: Order; limit: number; range?: CreationRange; maxKeys?: number };

async function readAll(partitions: readonly (readonly string[])[], { limit, ...query }: Query) {
  const found: string[] = [];
  let after: string | undefined;
  let isTested = true;
  for (;;) {
    const join = new Join(partitions, { maxKeys: 40_000, onRead: () => {}, ...query, after });
    const { ids, next } = await join.read(limit);
    found.push(...ids);
    isTested &&= join.isTested;
    if (next === undefined) return { found, isTested };
    // A page that is not the last one is full, unless the join has read all keys that it may read.
    if (join.keysRead < (query.maxKeys ?? 40_000)) expect(ids).toHaveLength(limit);
    after = next;
  }
}

const subset = fc.oneof(
  fc.uniqueArray(fc.nat({ max: ids.length - 1 }), { maxLength: 12 }),
  fc.integer({ min: 2, max: 9 }).map((step) => ids.map((_, at) => at).filter((at) => at % step === 0)),
  fc
    .tuple(fc.nat({ max: 800 }), fc.nat({ max: 99 }))
    .map(([from, count]) => ids.map((_, at) => at).slice(from, from + count)),
);

test('finds the ids that are in one partition of each list, in both orders, at any page size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(subset, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.constantFrom(1, 7, 100),
      fc.option(fc.tuple(fc.nat({ max: 899 }), fc.nat({ max: 899 }))),
      fc.constantFrom(40_000, 150),
      async (chosen, order, limit, bounds, maxKeys) => {
        const partitions = await Promise.all(
          chosen.map((list) => Promise.all(list.map((positions) => putList(positions.map((at) => ids[at] ?? ''))))),
        );
        const range = bounds ? { from: ids[Math.min(...bounds)] ?? '', to: ids[Math.max(...bounds)] ?? '' } : {};
        const expected = ids.filter(
          (id, at) =>
            chosen.every((list) => list.some((positions) => positions.includes(at))) &&
            (!bounds || (id >= (range.from ?? '') && id < (range.to ?? ''))),
        );
        const { found, isTested } = await readAll(partitions, { order, limit, range, maxKeys });
        const inOrder = found.toSorted();
        expect(found).toEqual(order === 'asc' ? inOrder : inOrder.toReversed());
        if (isTested) expect(inOrder).toEqual(expected);
        else expect(inOrder).toEqual(expect.arrayContaining(expected));
      },
    ),
    { numRuns: countRuns(60) },
  );
});

test('beside a list with few users, their ids are returned without reading the other list', async () => {
  const few = await putList([ids[10] ?? '', ids[700] ?? '']);
  const all = await putList(ids);
  let items = 0;
  const join = new Join([[few], [all]], { maxKeys: 40_000, onRead: (count) => (items += count) });
  expect(await join.read(20)).toEqual({ ids: [ids[10], ids[700]], next: undefined });
  expect([join.isTested, join.keysRead <= 2 + 2 * 100]).toEqual([false, true]);
  expect(items).toBeLessThanOrEqual(5);
});

test('one value costs one query of the keys of a page and one more', async () => {
  const pk = await putList(ids);
  const join = new Join([[pk]], { maxKeys: 40_000, onRead: () => {} });
  expect(await join.read(20)).toEqual({ ids: ids.slice(0, 20), next: ids[19] });
  expect(join.keysRead).toBe(21);
});

test('a join that stops while it leaps over distant ids continues', async () => {
  const [old, recent] = [ids.slice(0, 400), ids.slice(500)];
  const both = ids[850] ?? '';
  const partitions = [[await putList([...old, both])], [await putList(recent)], [await putList([...old, ...recent])]];
  const { found } = await readAll(partitions, { order: 'asc', limit: 1, maxKeys: 10 });
  expect(found).toContain(both);
});
