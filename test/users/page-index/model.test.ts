import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { clearTable, START, setTime } from './fixtures.ts';
import { findViolations } from './invariant.ts';
import { LaggingTable } from './lagging-table.ts';
import { Model, type Step, steps } from './model.ts';
import { createRandom, pickAnyVisible } from './visibility.ts';

/** Histories that would start later are left out; one that has started is always finished. */
const TIME_MS = Number(process.env.PAGE_INDEX_MODEL_MS ?? 5_000);
/** For a machine that has much else to do. */
const TIME_LIMIT_MS = TIME_MS + 120_000;
const MAX_HISTORIES = Number(process.env.PAGE_INDEX_MODEL_HISTORIES ?? 60);

afterEach(() => {
  vi.useRealTimers();
});

async function runHistory(history: Step[], blocks: number, seed: number): Promise<void> {
  await clearTable();
  setTime(START);
  const lagging = new LaggingTable();
  await lagging.attach();
  lagging.pick = pickAnyVisible(createRandom(seed));
  try {
    const model = new Model(blocks);
    for (const step of history) {
      await model.apply(step);
      expect(await findViolations()).toEqual([]);
      await model.expectPages(3);
    }
    for (const step of ['wait', 'index', 'wait', 'verify'] as const)
      await model.apply(step === 'wait' ? { act: step, ms: 200_000 } : { act: step });
    expect(await findViolations()).toEqual([]);
    await model.expectPages(3);
  } finally {
    lagging.detach();
  }
}

test.each([2, 4])(
  'pages, totals and counts are right after any history, with %i blocks in a block',
  async (blocks) => {
    const end = performance.now() + TIME_MS / 2;
    let histories = 0;
    await fc.assert(
      fc.asyncProperty(steps, fc.integer(), async (history, seed) => {
        if (histories > 0 && performance.now() > end) return;
        histories++;
        await runHistory(history, blocks, seed);
      }),
      { numRuns: MAX_HISTORIES },
    );
  },
  TIME_LIMIT_MS,
);
