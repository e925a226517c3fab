import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../../environment.ts';
import { sizes } from '../../sizes.ts';
import { type AppendOptions, appendUsers } from './append.ts';
import { type CycleStatus, foldAdjustments } from './fold.ts';
import { VISIBILITY_MS } from './timing.ts';

export type IndexOptions = Partial<AppendOptions>;

const defaults: AppendOptions = {
  now: () => environment.now(),
  pause: (milliseconds) => sleep(milliseconds),
  fanout: sizes.fanout,
  hasTimeLeft: () => true,
};

/** `isUpToDate`: all that had settled is in the blocks. `isBusy`: there is traffic, so another cycle is worth its cost. */
export type IndexRun = { indexed: number; folded: number; isUpToDate: boolean; isBusy: boolean };

/** A run leaves less than a block of users or adjustments to the next one. */
const MIN_WORK = sizes.fanout.users;

/**
 * Folds and indexes what has settled, and goes on every few seconds while there is traffic and time left. Safe beside
 * other runs: the checkpoint admits one writer.
 */
export async function indexPages(options: IndexOptions = {}): Promise<IndexRun> {
  const settings = { ...defaults, ...options };
  let run: IndexRun | undefined;
  for await (run of runCycles(settings)) if (!settings.hasTimeLeft()) break;
  return run as IndexRun; // There is at least one cycle.
}

/** Yields what was done so far after each cycle, until there is little traffic. */
export async function* runCycles(options: IndexOptions): AsyncGenerator<IndexRun> {
  const settings = { ...defaults, ...options };
  const run: IndexRun = { indexed: 0, folded: 0, isUpToDate: false, isBusy: false };
  for (;;) {
    const { indexed, folded, outcome } = await runCycle(settings);
    run.indexed += indexed;
    run.folded += folded;
    run.isUpToDate = outcome === 'complete';
    // A conflict says nothing about the traffic.
    if (outcome !== 'conflict') run.isBusy = outcome === 'partial' || indexed + folded >= MIN_WORK;
    yield run;
    if (!run.isBusy) return;
    // What was written has to become visible; more of what is there already need not.
    if (indexed === 0 && outcome !== 'partial') await settings.pause(VISIBILITY_MS);
  }
}

/** What new blocks contain is clear only once all older adjustments are folded. */
async function runCycle(settings: AppendOptions): Promise<{ indexed: number; folded: number; outcome: CycleStatus }> {
  const { folded, outcome } = await foldAdjustments(settings.now, settings.hasTimeLeft);
  return outcome === 'complete' ? { folded, ...(await appendUsers(settings)) } : { folded, indexed: 0, outcome };
}
