import { expect, test } from 'vitest';
import { createLimiter, mapParallel, split } from '../../lib/parallel.ts';

function createWork() {
  const begun: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  const run = (item: string) => {
    begun.push(item);
    const end = Promise.withResolvers<string>();
    ends.set(item, end);
    return end.promise;
  };
  const settle = async (act: () => void) => {
    act();
    await new Promise(setImmediate);
  };
  const end = (item: string) => settle(() => ends.get(item)?.resolve(`${item} done`));
  const fail = (item: string) => settle(() => ends.get(item)?.reject(new Error(`${item} failed`)));
  const afterEnd = (item: string) => ends.get(item)?.promise;
  return { begun, run, end, fail, afterEnd };
}

test('runs up to the limit at once, and starts the next item when one ends', async () => {
  const { begun, run, end } = createWork();
  const results = mapParallel(['a', 'b', 'c', 'd'], run, 2);
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'c']);
  await end('c');
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
  for (const item of ['d', 'a']) await end(item);
  expect(await results).toEqual(['a done', 'b done', 'c done', 'd done']);
});

test('starts no further item after the first error', async () => {
  const { begun, run, end, fail } = createWork();
  const results = mapParallel(['a', 'b', 'c', 'd'], run, 2);
  const error = expect(results).rejects.toThrow('a failed');
  await fail('a');
  await error;
  await end('b');
  expect(begun).toEqual(['a', 'b']);
});

test('accepts undefined items and an empty list', async () => {
  expect(await mapParallel([undefined, 1], async (item) => item)).toEqual([undefined, 1]);
  expect(await mapParallel([], async () => 'never')).toEqual([]);
});

test('a limiter hands its place over to the waiter, also if another caller arrives at that moment', async () => {
  const { begun, run, end, fail, afterEnd } = createWork();
  const limit = createLimiter(1);
  const first = limit(() => run('a'));
  const second = expect(limit(() => run('b'))).rejects.toThrow('b failed');
  const third = afterEnd('a')?.then(() => limit(() => run('c')));
  await end('a');
  expect(begun).toEqual(['a', 'b']);
  await fail('b');
  expect(begun).toEqual(['a', 'b', 'c']);
  await end('c');
  await second;
  expect(await Promise.all([first, third])).toEqual(['a done', 'c done']);
  const last = limit(() => run('d'));
  await end('d');
  expect(await last).toBe('d done');
});

test('a list is split without losing or repeating elements', () => {
  expect(split([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(split([1, 2], 2)).toEqual([[1, 2]]);
  expect(split([], 2)).toEqual([]);
});
