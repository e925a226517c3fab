import { randomUUID } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { putItems } from '../../../../../lib/dynamodb/batch.ts';
import { withCapacityUsage } from '../../../../../lib/dynamodb/requests.ts';
import { slotsKey } from '../../../../../lib/features/change-log/keys.ts';
import { acquireTableSlot } from '../../../../../lib/features/change-log/sse/stream-limit.ts';
import { createRandom } from '../../../../simulation/random.ts';
import { freeAllSlots } from './free-all-slots.ts';

/** Maximum number of streams: the highest allowed maxStreams. */
const TOTAL = 10_000;
const SLOTS_PER_ITEM = 160;

afterEach(() => vi.restoreAllMocks());

async function occupy(isTaken: (slot: number) => boolean): Promise<void> {
  await freeAllSlots();
  const expiresAt = Math.floor(Date.now() / 1000) + 3600;
  const taken = Map.groupBy(Array.from({ length: TOTAL }, (_, slot) => slot).filter(isTaken), (slot) =>
    Math.floor(slot / SLOTS_PER_ITEM),
  );
  const format = (slot: number) => `${expiresAt}#${String(slot).padStart(11, '0')}`;
  await putItems(
    [...taken].map(([item, slots]) => ({ ...slotsKey('ALL', item), leases: new Set(slots.map(format)), expiresAt })),
  );
}

async function open() {
  const { result, used } = await withCapacityUsage(() =>
    acquireTableSlot(randomUUID(), { total: TOTAL, perCaller: 1 }, 90),
  );
  await result.releaseSlot?.();
  return { exceeded: result.exceeded, readUnits: used.readUnits };
}

/** lib/features/change-log/sse/README.md contains these numbers. */
test.each([
  { occupancy: 0, opens: 20, mean: 0, most: 0 },
  { occupancy: 50, opens: 20, mean: 0, most: 0 },
  { occupancy: 90, opens: 20, mean: 0, most: 0 },
  { occupancy: 99, opens: 200, mean: 1.3, most: 8 },
])(
  'with $occupancy of 100 slots taken, opening a stream reads $mean units on average, at most $most',
  async ({ occupancy, opens, mean, most }) => {
    const random = createRandom('streams').next;
    vi.spyOn(Math, 'random').mockImplementation(random);
    await occupy(() => random() * 100 < occupancy);
    const costs: number[] = [];
    for (let count = 0; count < opens; count++) {
      const { exceeded, readUnits } = await open();
      expect(exceeded).toBeUndefined();
      costs.push(readUnits);
    }
    expect(costs.reduce((sum, units) => sum + units, 0) / opens).toBeCloseTo(mean, 1);
    expect(Math.max(...costs)).toBe(most);
  },
);

test('with all slots taken, opening a stream reads each item once and is rejected', async () => {
  await occupy(() => true);
  expect(await open()).toEqual({ exceeded: 'total', readUnits: 63 });
});

test('the only free slot is found in any item', async () => {
  for (const free of [0, 7_281, 9_999]) {
    await occupy((slot) => slot !== free);
    const { exceeded, readUnits } = await open();
    expect(exceeded).toBeUndefined();
    expect(readUnits).toBeLessThanOrEqual(63);
  }
});
