import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallerShares } from '../../lib/caller-shares.ts';
import { environment } from '../../lib/environment.ts';

const { now } = environment;
let ms = 0;
beforeEach(() => {
  ms = 1_000_000;
  environment.now = () => ms;
});
afterEach(() => {
  environment.now = now;
});

describe('a caller with a large share', () => {
  test('does not wait while DynamoDB has room', () => {
    const shares = new CallerShares();
    shares.add('heavy', 100_000);
    expect(shares.findWait('heavy')).toBeUndefined();
  });

  test('waits while DynamoDB throttles, and others do not', () => {
    const shares = new CallerShares();
    shares.add('heavy', 400);
    shares.add('light', 2);
    shares.reportThrottle();
    expect(shares.findWait('heavy')).toBe(10);
    expect(shares.findWait('light')).toBeUndefined();
    expect(shares.findWait('unknown')).toBeUndefined();
    // It counts half after each three seconds, and the throttle for five.
    ms += 4_999;
    expect(shares.findWait('heavy')).toBe(8);
    ms += 1;
    expect(shares.findWait('heavy')).toBeUndefined();
  });

  test('does not wait any more some seconds after the last throttle', () => {
    const shares = new CallerShares();
    shares.reportThrottle();
    ms += 5_000;
    shares.add('heavy', 400);
    expect(shares.findWait('heavy')).toBeUndefined();
  });

  test('waits beside others who consume as much', () => {
    const shares = new CallerShares();
    for (const caller of ['a', 'b', 'c']) shares.add(caller, 300);
    for (let light = 0; light < 10; light++) shares.add(`light-${light}`, 10);
    shares.reportThrottle();
    expect(['a', 'b', 'c'].map((caller) => shares.findWait(caller))).toEqual([10, 10, 10]);
    expect(shares.findWait('light-1')).toBeUndefined();
  });
});

test('a caller who consumes little does not wait, alone as it may be', () => {
  const shares = new CallerShares();
  shares.add('only', 20);
  shares.reportThrottle();
  expect(shares.findWait('only')).toBeUndefined();
});

test('made-up callers take no memory for good', () => {
  const shares = new CallerShares();
  shares.add('heavy', 1e9);
  for (let caller = 0; caller < 900; caller++) shares.add(`network:${caller}`, 1);
  ms += 3_000;
  for (let caller = 900; caller < 1_500; caller++) shares.add(`network:${caller}`, 1);
  shares.reportThrottle();
  // The idle ones were forgotten, not this one.
  expect(shares.findWait('heavy')).toBe(10);
});

/** One partition of DynamoDB: it serves so many units a second, and keeps none for later. */
const PARTITION_UNITS = 3_000;
const LIST_UNITS = 23;
const LIST_MS = 60;
const STEP_MS = 10;
const SECONDS = 60;

/**
 * One caller lists 1,000 users over so many connections, without a pause; 20 others do it once a second each. A connection of the first
 * always finds an environment. Returns which part of the requests of the others succeeds within three attempts.
 */
function simulate(connections: number, isLimited: boolean): number {
  const random = createRandom(7);
  const environments = Array.from({ length: Math.max(4, connections) }, () => new CallerShares());
  const busyUntil = environments.map(() => 0);
  const [answered, sent] = [{ light: 0 }, { light: 0 }];
  let units = 0;
  const request = (caller: string): boolean => {
    const free = environments.map((_, at) => at).filter((at) => (busyUntil[at] ?? 0) <= ms);
    const at = free[Math.floor(random() * free.length)] ?? Math.floor(random() * environments.length);
    const shares = environments[at];
    if (!shares || (isLimited && shares.findWait(caller))) return false;
    busyUntil[at] = ms + LIST_MS;
    if (units < LIST_UNITS) {
      shares.reportThrottle();
      return false;
    }
    units -= LIST_UNITS;
    shares.add(caller, LIST_UNITS + 1);
    return true;
  };
  const nextOfConnection = Array.from({ length: connections }, () => ms);
  for (const end = ms + SECONDS * 1000; ms < end; ms += STEP_MS) {
    units = Math.min(PARTITION_UNITS / 10, units + (PARTITION_UNITS * STEP_MS) / 1000);
    const light = Array.from({ length: 20 }, (_, caller) => `light-${caller}`).filter(() => random() < STEP_MS / 1000);
    const heavy = nextOfConnection.flatMap((next, at) => (next <= ms ? [at] : []));
    const turns = [...light.map((caller) => ({ caller, at: -1 })), ...heavy.map((at) => ({ caller: 'heavy', at }))];
    for (const { caller, at } of turns.toSorted(() => random() - 0.5)) {
      if (at >= 0) {
        // A client that ignores Retry-After comes back after the time of a round trip.
        nextOfConnection[at] = ms + (request(caller) ? LIST_MS : 20);
        continue;
      }
      sent.light += 1;
      if (request(caller) || request(caller) || request(caller)) answered.light += 1;
    }
  }
  return answered.light / sent.light;
}

function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test.each([
  [20, 0.95],
  [60, 0.95],
  [120, 0.9],
  [240, 0.75],
])('one caller with %i connections leaves the others %d of what they ask for, and not half', (connections, part) => {
  expect(simulate(connections, false)).toBeLessThan(0.6);
  expect(simulate(connections, true)).toBeGreaterThan(part);
});
