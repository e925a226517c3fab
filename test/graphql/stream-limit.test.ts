import { expect, test, vi } from 'vitest';
import { acquireSlot } from '../../lib/graphql/sse/stream-limit.ts';

test('of ten that ask at once for three places, three get one; a place given back is free again', async () => {
  const releases = await Promise.all(Array.from({ length: 10 }, () => acquireSlot(3, 60)));
  const taken = releases.filter((release) => release !== undefined);
  expect(taken).toHaveLength(3);
  await taken[0]?.();
  const again = await acquireSlot(3, 60);
  expect(again).toBeDefined();
  expect(await acquireSlot(3, 60)).toBeUndefined();
  await Promise.all([taken[1]?.(), taken[2]?.(), again?.()]);
});

test('a place whose holder died is free again once its time is over', async () => {
  const dead = await acquireSlot(1, 3);
  expect(dead).toBeDefined();
  expect(await acquireSlot(1, 3)).toBeUndefined();
  const next = await vi.waitFor(async () => (await acquireSlot(1, 60)) ?? Promise.reject(new Error('still taken')), {
    timeout: 10_000,
    interval: 200,
  });
  await dead?.();
  expect(await acquireSlot(1, 60), 'the late give-back leaves the next holder its place').toBeUndefined();
  await next?.();
});
