import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { mapInOrder, Pace } from '../../../infra/transfer/pace.ts';
import { ClientError } from '../../../lib/client/client.ts';

const busy = new Error('busy');
const createPace = (pauses: number[] = []) =>
  new Pace({ maxLimit: 8, isBusy: (error) => error === busy, pause: async (ms) => void pauses.push(ms) });

describe('the pace', () => {
  test('rises to its maximum while requests succeed', async () => {
    const pace = createPace();
    expect(pace.limit).toBe(2);
    for (let done = 0; done < 100; done++) await pace.run(async () => {});
    expect(pace.limit).toBe(8);
  });

  test('halves once for all requests that were running when the other side became busy, and retries', async () => {
    const pauses: number[] = [];
    const pace = createPace(pauses);
    for (let done = 0; done < 100; done++) await pace.run(async () => {});
    let attempts = 0;
    const work = async () => {
      if (++attempts <= 8) throw busy;
    };
    await Promise.all(Array.from({ length: 8 }, () => pace.run(work)));
    expect(attempts).toBe(16);
    // Failures halve the limit from 8 to 4. Eight successes add one.
    expect(pace.limit).toBe(5);
    expect(pauses.length).toBe(8);
  });

  test('fails after many attempts, and at once for other errors', async () => {
    const pauses: number[] = [];
    await expect(createPace(pauses).run(() => Promise.reject(busy))).rejects.toBe(busy);
    expect(pauses.length).toBe(23);
    await expect(createPace().run(() => Promise.reject(new Error('other')))).rejects.toThrow('other');
  });

  test('waits for Retry-After', async () => {
    const pauses: number[] = [];
    const error = new ClientError(429, 'Too many', { code: 'TOO_MANY_REQUESTS', retryAfterMs: 120_000 });
    const pace = new Pace({ maxLimit: 8, isBusy: () => true, pause: async (ms) => void pauses.push(ms) });
    await expect(pace.run(() => Promise.reject(error))).rejects.toBe(error);
    expect(Math.min(...pauses)).toBe(120_000);
  });

  test('waits for an hour at most', async () => {
    const pauses: number[] = [];
    const error = new ClientError(429, 'Too many', { code: 'TOO_MANY_REQUESTS', retryAfterMs: 86_400_000 });
    const pace = new Pace({ maxLimit: 8, isBusy: () => true, pause: async (ms) => void pauses.push(ms) });
    await expect(pace.run(() => Promise.reject(error))).rejects.toBe(error);
    expect(Math.max(...pauses)).toBe(3_600_000);
  });

  test('pauses for 15 seconds at most by itself, and keeps one attempt under way', async () => {
    const pauses: number[] = [];
    const pace = createPace(pauses);
    await expect(pace.run(() => Promise.reject(busy))).rejects.toBe(busy);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(15_000);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(7_500);
    expect(pace.limit).toBe(1);
  });

  test('an error ends the results once the work that is under way has ended', async () => {
    let hasEnded = false;
    async function* items() {
      yield* ['fails', 'ends later'];
    }
    const results = mapInOrder(items(), { limit: 2 }, async (item) => {
      if (item === 'fails') throw new Error('failed');
      await setImmediate();
      hasEnded = true;
    });
    await expect(Array.fromAsync(results)).rejects.toThrow('failed');
    expect(hasEnded).toBe(true);
  });

  test('results are in the order of the items, and concurrency stays within the limit', async () => {
    let [underWay, most] = [0, 0];
    const gates = Array.from({ length: 20 }, () => Promise.withResolvers<void>());
    async function* items() {
      yield* gates.keys();
    }
    const results = mapInOrder(items(), { limit: 4 }, async (item) => {
      most = Math.max(most, ++underWay);
      // Groups of four end in reverse order.
      if (item % 4 === 3) for (const gate of gates.slice(item - 3, item + 1).toReversed()) gate.resolve();
      await gates[item]?.promise;
      underWay--;
      return item;
    });
    expect(await Array.fromAsync(results)).toEqual([...gates.keys()]);
    expect(most).toBe(4);
  });

  test.each([
    { sizes: [1_999_999, 1_999_999, 1_999_999], expected: 2 },
    { sizes: [2_000_001, 2_000_001, 2_000_001], expected: 1 },
    { sizes: [5_000_000, 5_000_000, 5_000_000], expected: 1 },
    { sizes: [3_000_000, 3_000_000, 1, 1, 1], expected: 3 },
  ])('of items of $sizes characters, $expected are under way at once', async ({ sizes, expected }) => {
    let [underWay, most] = [0, 0];
    async function* items() {
      yield* sizes;
    }
    const work = async () => {
      most = Math.max(most, ++underWay);
      await setImmediate();
      underWay--;
    };
    await Array.fromAsync(mapInOrder(items(), { limit: 3 }, work, (size) => size));
    expect(most).toBe(expected);
  });
});
