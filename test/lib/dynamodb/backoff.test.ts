import { afterEach, beforeEach, expect, test } from 'vitest';
import { Backoff, isOutcomeUnknown, markOutcomeUnknown, withDeadline } from '../../../lib/dynamodb/requests.ts';
import { environment } from '../../../lib/environment.ts';
import { concurrentChanges } from '../../../lib/errors.ts';

const LIMIT_MS = 1_000;

const { elapsed, random } = environment;
let now: number;
const start = () => {
  now = 0;
  Object.assign(environment, { elapsed: () => now, random: () => 0 });
};
beforeEach(start);
afterEach(() => Object.assign(environment, { elapsed, random }));

/** Pauses for the longest possible time when only `leftMs` are left. Earlier pauses are as short as possible. */
async function pauseAtEnd(backoff: Backoff, leftMs: number): Promise<'paused' | 'timeout'> {
  now = LIMIT_MS - leftMs;
  environment.random = () => 1;
  return backoff.pause(concurrentChanges).then(
    () => 'paused' as const,
    () => 'timeout' as const,
  );
}

const pauseAfter = (pauses: number, leftMs: number) =>
  withDeadline(LIMIT_MS, async () => {
    const backoff = new Backoff();
    for (let at = 0; at < pauses; at++) await backoff.pause();
    return pauseAtEnd(backoff, leftMs);
  });

test.each([
  [0, 10],
  [1, 20],
  [2, 40],
  [6, 400],
  [20, 400],
])('after %i pauses, the next takes up to %i ms, and must end before the deadline', async (pauses, ms) => {
  expect(await pauseAfter(pauses, ms)).toBe('timeout');
  start();
  expect(await pauseAfter(pauses, ms + 1)).toBe('paused');
});

test('pauses are short again after a success', async () => {
  const backoff = await withDeadline(LIMIT_MS, async () => new Backoff());
  for (let at = 0; at < 5; at++) await backoff.pause();
  backoff.reset();
  expect(await pauseAtEnd(backoff, 11)).toBe('paused');
});

test('at the deadline, the caller chooses the error, and without one it is SERVICE_UNAVAILABLE', async () => {
  const backoff = await withDeadline(LIMIT_MS, async () => new Backoff());
  now = LIMIT_MS;
  await expect(backoff.pause(concurrentChanges)).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(backoff.pause()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});

test('outside a request, pauses have the time limit of requests', async () => {
  const backoff = new Backoff();
  now = environment.requestTimeLimitMs;
  await expect(backoff.pause()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  now -= 1;
  await backoff.pause();
});

test('a deadline leaves no timer', async () => {
  const countTimers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = countTimers();
  expect(await withDeadline(60_000, async () => 'result')).toBe('result');
  expect(countTimers()).toBe(before);
});

test('the outcome is unknown only for marked errors', () => {
  const [marked, other] = [new Error('marked'), new Error('other')];
  for (const thrown of [marked, 'text', undefined]) markOutcomeUnknown(thrown);
  expect([marked, other, 'text', undefined].map(isOutcomeUnknown)).toEqual([true, false, false, false]);
});
