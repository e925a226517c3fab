import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startSchedule } from '../../../infra/local/schedule.ts';

// Vitest cannot fake node:timers/promises.
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));
beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

test.each([
  ['a minute after it started', 40_000, [0, 60_000, 120_000]],
  ['at once when it took longer than a minute', 70_000, [0, 70_001, 140_002]],
])('the local schedule calls the function again %s, although it fails', async (_, takes, expected) => {
  vi.spyOn(console, 'error').mockReturnValue();
  const starts: number[] = [];
  const schedule = startSchedule('index-pages', async () => {
    starts.push(Date.now());
    await sleep(takes);
    throw new Error('no table');
  });
  await vi.advanceTimersByTimeAsync(150_000);
  expect(starts).toEqual(expected);
  const stopped = schedule.stop();
  await vi.advanceTimersByTimeAsync(takes);
  await stopped;
});

test("setting the clock back does not change the schedule's pause", async () => {
  const run = vi.fn(async () => vi.setSystemTime(-3_600_000));
  const schedule = startSchedule('index-pages', run);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(run).toHaveBeenCalledTimes(2);
  await schedule.stop();
});
