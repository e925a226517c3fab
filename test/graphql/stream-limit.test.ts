import { afterEach, expect, test, vi } from 'vitest';
import { acquireSlot } from '../../lib/graphql/sse/stream-limit.ts';

afterEach(() => vi.useRealTimers());

test('three of ten concurrent requests acquire three slots, and a released slot is free again', async () => {
  const attempts = await Promise.all(Array.from({ length: 10 }, () => acquireSlot(3, 60)));
  const [release, ...others] = attempts.filter((release) => release !== undefined);
  expect(others).toHaveLength(2);
  await release?.();
  const releaseAgain = await acquireSlot(3, 60);
  expect(releaseAgain).toBeDefined();
  expect(await acquireSlot(3, 60)).toBeUndefined();
  await Promise.all([...others, releaseAgain].map((release) => release?.()));
});

test('a slot that was not released is free again when its time is over', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const releaseExpired = await acquireSlot(1, 3);
  expect(releaseExpired).toBeDefined();
  vi.setSystemTime(Date.now() + 2_900);
  expect(await acquireSlot(1, 3)).toBeUndefined();
  vi.setSystemTime(Date.now() + 1_100);
  const release = await acquireSlot(1, 60);
  expect(release).toBeDefined();
  await releaseExpired?.();
  expect(await acquireSlot(1, 60), 'the late release spares the slot of the next stream').toBeUndefined();
  await release?.();
});
