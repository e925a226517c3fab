import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createNumbers } from '../../../simulation/random.ts';
import { clearTable, START, setTime } from './fixtures.ts';
import { findViolations } from './invariant.ts';
import { LaggingTable } from './lagging-table.ts';
import { Model, type Step, steps } from './model.ts';
import { pickAnyVisible } from './visibility.ts';

/** More of them find more: `PAGE_INDEX_MODEL_HISTORIES=1000 npx vitest run --project service test/lib/features/page-index/model`. */
const HISTORIES = Number(process.env.PAGE_INDEX_MODEL_HISTORIES ?? 6);

afterEach(() => {
  vi.useRealTimers();
});

async function runHistory(history: Step[], blocks: number, seed: number): Promise<void> {
  await clearTable();
  setTime(START);
  const lagging = new LaggingTable();
  await lagging.attach();
  lagging.pick = pickAnyVisible(createNumbers(seed));
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

test.each([2, 4])('pages, totals and counts are right after any history, with %i blocks in a block', (blocks) =>
  fc.assert(
    fc.asyncProperty(steps, fc.integer(), (history, seed) => runHistory(history, blocks, seed)),
    { numRuns: HISTORIES },
  ),
);
