import { environment } from '../../environment.ts';
import type { HasTimeLeft } from '../../maintenance/run.ts';
import { sizes } from '../../sizes.ts';
import { appendUsers } from './append.ts';
import { type CycleStatus, foldAdjustments } from './fold.ts';
import { splitBlocks } from './split.ts';
import { VISIBILITY_MS } from './timing.ts';

export type IndexRun = { indexed: number; folded: number; isUpToDate: boolean; isBusy: boolean };

/** Minimum number of users and adjustments for another cycle. Fewer wait for the next run. */
const MIN_WORK = sizes.fanout.users;

/**
 * Repeats cycles while there is traffic and time. Parallel runs are safe: the condition on the checkpoint lets one run
 * succeed in each step.
 */
export async function indexPages(hasTimeLeft: HasTimeLeft = () => true): Promise<IndexRun> {
  let last: IndexRun | undefined;
  for await (const run of runCycles(hasTimeLeft)) {
    last = run;
    if (!hasTimeLeft()) break;
  }
  return last as IndexRun; // At least one cycle has run.
}

/** Yields the sum of all cycles so far after each cycle. */
export async function* runCycles(hasTimeLeft: HasTimeLeft): AsyncGenerator<IndexRun> {
  const run: IndexRun = { indexed: 0, folded: 0, isUpToDate: false, isBusy: false };
  const full = new Set<string>();
  for (;;) {
    const { indexed, folded, outcome } = await runCycle(hasTimeLeft, full);
    run.indexed += indexed;
    run.folded += folded;
    run.isUpToDate = outcome === 'complete';
    // After a conflict, `indexed` and `folded` do not show how much traffic there is.
    if (outcome !== 'conflict') run.isBusy = outcome === 'partial' || indexed + folded >= MIN_WORK;
    yield run;
    if (!run.isBusy) return;
    // Wait until new writes are visible.
    if (indexed === 0 && outcome !== 'partial') await environment.pause(VISIBILITY_MS);
  }
}

type Cycle = { indexed: number; folded: number; outcome: CycleStatus };

async function runCycle(hasTimeLeft: HasTimeLeft, full: Set<string>): Promise<Cycle> {
  const { folded, outcome } = await foldAdjustments(hasTimeLeft, full);
  if (outcome === 'complete') await splitBlocks(full, hasTimeLeft);
  return outcome === 'complete' ? { folded, ...(await appendUsers(hasTimeLeft)) } : { folded, indexed: 0, outcome };
}
