import { retryOnConflict } from '../../dynamodb/retry.ts';
import { transact } from '../../dynamodb/transactions.ts';
import { queryUserIds } from '../directory.ts';
import { FANOUT, type Sizes } from './blocks.ts';
import { readCheckpoint } from './checkpoint.ts';
import { forgetRemovals, readRemovals } from './tombstones.ts';
import { roomFor, stepOver } from './step.ts';
import { firstIdAt, timeOf } from '../../uuidv7.ts';

/** Older users are all in the directory: clocks differ by less, and the GSI follows the table faster. */
const MARGIN = 60_000;

/** How many users were indexed, and for how many seconds the oldest that were not have been due; 0 when all are. */
export type IndexRun = { indexed: number; ageSeconds: number };

type Options = { now?: number; more?: () => boolean; sizes?: Sizes };

/** Indexes the users up to a minute ago, step by step for as long as there may be `more`. Safe beside other runs. */
export async function indexPages({ now = Date.now(), more = () => true, sizes = FANOUT }: Options = {}) {
  const horizon = now - MARGIN;
  const run: IndexRun = { indexed: 0, ageSeconds: 0 };
  for (;;) {
    const ids = await step(firstIdAt(horizon), sizes);
    const last = ids.at(-1);
    if (last === undefined) return run;
    run.indexed += ids.length;
    if (!more()) return { ...run, ageSeconds: Math.max(0, horizon - timeOf(last)) / 1000 };
  }
}

/** The ids that it moved the index over: what goes into one transaction, or the rest; none where another run did. */
async function step(horizon: string, sizes: Sizes): Promise<string[]> {
  const checkpoint = await readCheckpoint();
  const { reached } = checkpoint;
  const ids = reached < horizon ? await queryUserIds(reached, horizon, roomFor(checkpoint, sizes)) : [];
  return ids.length > 0 ? retryOnConflict(() => moveOver(ids, reached, sizes)) : [];
}

/** Undefined where a delete came between. Reading the ids takes long, so that is not done again. */
async function moveOver(ids: string[], reached: string, sizes: Sizes): Promise<string[] | undefined> {
  const checkpoint = await readCheckpoint();
  if (checkpoint.reached !== reached) return [];
  const removals = checkpoint.removals > 0 ? await readRemovals() : [];
  const ahead = removals.filter((id) => id > reached);
  // A query is no snapshot: it may miss a removal that the checkpoint counts already.
  if (ahead.length !== checkpoint.removals) return undefined;
  const { failures } = await transact({ ...stepOver(ids, ahead, checkpoint, sizes) });
  if (failures) return undefined;
  await forgetRemovals(removals.filter((id) => id <= (ids.at(-1) ?? reached)));
  return ids;
}
