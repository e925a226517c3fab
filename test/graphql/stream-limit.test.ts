import { expect, test, vi } from 'vitest';
import { acquireSlot } from '../../lib/graphql/sse/stream-limit.ts';

test('three of ten concurrent requests acquire three slots, and a released slot is free again', async () => {
  const releases = await Promise.all(Array.from({ length: 10 }, () => acquireSlot(3, 60)));
  const taken = releases.filter((release) => release !== undefined);
  expect(taken).toHaveLength(3);
  await taken[0]?.();
  const again = await acquireSlot(3, 60);
  expect(again).toBeDefined();
  expect(await acquireSlot(3, 60)).toBeUndefined();
  await Promise.all([taken[1]?.(), taken[2]?.(), again?.()]);
});

test('a slot that was not released is free again when its time is over', async () => {
  const expired = await acquireSlot(1, 3);
  expect(expired).toBeDefined();
  expect(await acquireSlot(1, 3)).toBeUndefined();
  const next = await vi.waitFor(async () => (await acquireSlot(1, 60)) ?? Promise.reject(new Error('still taken')), {
    timeout: 10_000,
    interval: 200,
  });
  await expired?.();
  expect(await acquireSlot(1, 60), 'the late release spares the slot of the next stream').toBeUndefined();
  await next?.();
});
