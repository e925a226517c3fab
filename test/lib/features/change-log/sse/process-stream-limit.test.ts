import { afterAll, afterEach, expect, test } from 'vitest';
import { environment } from '../../../../../lib/environment.ts';
import { acquireProcessSlot } from '../../../../../lib/features/change-log/sse/process-stream-limit.ts';

const { now } = environment;
let time = 1_000_000;
environment.now = () => time;
afterAll(() => Object.assign(environment, { now }));
afterEach(() => {
  // Let all slots of the test expire.
  time += 3_600_000;
});

const acquire = (caller: string, total = 5, perCaller = 2) => acquireProcessSlot(caller, { total, perCaller }, 90);

test('a caller gets its share of the slots, and others get the rest', async () => {
  const open = [await acquire('ada'), await acquire('ada')];
  expect(await acquire('ada')).toEqual({ exceeded: 'perCaller' });
  for (const caller of ['grace', 'grace', 'joan'])
    expect(await acquire(caller)).toEqual({ releaseSlot: expect.any(Function) });
  expect(await acquire('katherine')).toEqual({ exceeded: 'total' });
  await open[0]?.releaseSlot?.();
  await open[0]?.releaseSlot?.();
  expect(await acquire('katherine')).toEqual({ releaseSlot: expect.any(Function) });
  expect(await acquire('ada')).toEqual({ exceeded: 'total' });
});

test('an unreleased slot expires with its stream', async () => {
  await acquire('ada', 1);
  time += 89_999;
  expect(await acquire('grace', 1)).toEqual({ exceeded: 'total' });
  time += 1;
  expect(await acquire('grace', 1)).toEqual({ releaseSlot: expect.any(Function) });
});
