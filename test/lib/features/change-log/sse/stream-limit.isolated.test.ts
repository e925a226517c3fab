import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Fault, startFaultProxy } from '../../../../setup/proxy.ts';

let faults: Partial<Record<string, Fault[]>> = {};
const proxy = await startFaultProxy(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? '', (operation) =>
  faults[operation]?.shift(),
);
afterAll(() => proxy.stop());

// The client reads the endpoint on import.
process.env.AWS_ENDPOINT_URL_DYNAMODB = proxy.url;
const { acquireTableSlot } = await import('../../../../../lib/features/change-log/sse/stream-limit.ts');
const { table } = await import('../../../../../lib/dynamodb/client.ts');
const { freeAllSlots } = await import('./free-all-slots.ts');

beforeEach(async () => {
  faults = {};
  await freeAllSlots();
});
afterEach(() => vi.useRealTimers());

const NO_SHARES = 100;
const acquire = (total: number, { caller = randomUUID() as string, perCaller = NO_SHARES, seconds = 60 } = {}) =>
  acquireTableSlot(caller, { total, perCaller }, seconds);

type Acquired = Awaited<ReturnType<typeof acquire>>;
const isOpen = ({ releaseSlot }: Acquired) => releaseSlot !== undefined;

test('of ten concurrent requests for three slots, three succeed, and a released slot is free again', async () => {
  const attempts = await Promise.all(Array.from({ length: 10 }, () => acquire(3)));
  const open = attempts.filter(isOpen);
  expect(open).toHaveLength(3);
  expect(attempts.filter(({ exceeded }) => exceeded === 'total')).toHaveLength(7);
  await open[0]?.releaseSlot?.();
  expect(isOpen(await acquire(3))).toBe(true);
  expect(await acquire(3)).toEqual({ exceeded: 'total' });
});

test('an unreleased slot expires', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const expired = await acquire(1, { caller: 'ada', perCaller: 1, seconds: 3 });
  vi.setSystemTime(Date.now() + 2_900);
  expect(isOpen(await acquire(1))).toBe(false);
  vi.setSystemTime(Date.now() + 1_100);
  expect(isOpen(await acquire(1, { caller: 'ada', perCaller: 1 }))).toBe(true);
  await expired.releaseSlot?.();
  expect(isOpen(await acquire(1)), 'the late release spares the slot of the next stream').toBe(false);
});

test('concurrent requests for slots in several items never exceed the limit', async () => {
  const attempts = await Promise.all(Array.from({ length: 200 }, () => acquire(170)));
  const open = attempts.filter(isOpen);
  expect(open).toHaveLength(170);
  expect(await acquire(170)).toEqual({ exceeded: 'total' });
  await open[169]?.releaseSlot?.();
  expect(isOpen(await acquire(170))).toBe(true);
  expect(await acquire(170)).toEqual({ exceeded: 'total' });
});

describe('one caller', () => {
  const ada = { caller: 'ada', perCaller: 2 };

  test('acquires only its share of the slots with concurrent requests, and others acquire the rest', async () => {
    const attempts = await Promise.all(Array.from({ length: 10 }, () => acquire(5, ada)));
    expect(attempts.filter(isOpen)).toHaveLength(2);
    expect(attempts.filter(({ exceeded }) => exceeded === 'perCaller')).toHaveLength(8);
    const others = await Promise.all(Array.from({ length: 3 }, () => acquire(5, { perCaller: 2 })));
    expect(others.every(isOpen)).toBe(true);
  });

  test('acquires another slot after releasing one', async () => {
    const open = [await acquire(5, ada), await acquire(5, ada)];
    expect(await acquire(5, ada)).toEqual({ exceeded: 'perCaller' });
    await open[0]?.releaseSlot?.();
    expect(isOpen(await acquire(5, ada))).toBe(true);
    expect(await acquire(5, ada)).toEqual({ exceeded: 'perCaller' });
  });

  test.each<Fault>(['loseAnswer', 'loseRequest'])(
    'acquires and releases one slot despite a fault: %s',
    async (fault) => {
      faults = { UpdateItem: [fault, undefined, fault] };
      const { releaseSlot } = await acquire(5, ada);
      expect(isOpen(await acquire(5, ada))).toBe(true);
      expect(await acquire(5, ada)).toEqual({ exceeded: 'perCaller' });
      faults = { UpdateItem: [fault, fault] };
      await releaseSlot?.();
      expect(isOpen(await acquire(5, ada))).toBe(true);
      expect(await acquire(5, ada)).toEqual({ exceeded: 'perCaller' });
    },
  );

  test('acquires the last slots although the answers are lost', async () => {
    faults = { UpdateItem: ['loseAnswer', undefined, 'loseAnswer'] };
    expect(isOpen(await acquire(1, { caller: 'ada', perCaller: 1 }))).toBe(true);
    expect(faults).toEqual({ UpdateItem: [] });
  });

  test('keeps its share if the service has no slot', async () => {
    const one = { caller: 'ada', perCaller: 1 };
    const other = await acquire(1);
    expect(await acquire(1, one)).toEqual({ exceeded: 'total' });
    await other.releaseSlot?.();
    expect(isOpen(await acquire(1, one))).toBe(true);
  });

  test('keeps its share if the slots of the service cannot be read', async () => {
    const one = { caller: 'ada', perCaller: 1 };
    const send = table.send.bind(table);
    let requests = 0;
    const spy = vi.spyOn(table, 'send').mockImplementation((...args) => {
      if (++requests === 2) throw new Error('no answer');
      return send(...args);
    });
    await expect(acquire(1, one)).rejects.toThrow('no answer');
    spy.mockRestore();
    expect(isOpen(await acquire(1, one))).toBe(true);
  });

  test('occupies no slot of the service once its share is exhausted', async () => {
    await Promise.all(Array.from({ length: 10 }, () => acquire(3, { caller: 'ada', perCaller: 1 })));
    const others = [await acquire(3), await acquire(3), await acquire(3)];
    expect(others.map(isOpen)).toEqual([true, true, false]);
  });
});
