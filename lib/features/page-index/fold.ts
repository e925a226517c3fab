import { writeIf } from '../../dynamodb/conditional.ts';
import { environment } from '../../environment.ts';
import type { HasTimeLeft } from '../../maintenance/run.ts';
import { mapParallel } from '../../parallel.ts';
import { type Adjustment, readAdjustments, sumDeltas } from './adjustments.ts';
import { AdjustmentsById, type Block, isFull, MIN_KEY, readBlocks, replaceCount } from './blocks.ts';
import { addFold, checkpointUpdate, readCheckpoint, readTopLevel } from './checkpoint.ts';
import { clearIndex } from './rebuild.ts';
import { SETTLING_MS } from './timing.ts';

/** `partial`: settled work is left. `conflict`: another indexer or a lagging read interfered. */
export type CycleStatus = 'complete' | 'partial' | 'conflict';

type Folded = { folded: number; outcome: CycleStatus };

const CONFLICT: Folded = { folded: 0, outcome: 'conflict' };

/** The checkpoint advances this often even without adjustments, to keep readers' queries short. */
const ADVANCE_EVERY_MS = 30_000;

/**
 * Adds settled adjustments to all blocks, then advances `foldedUpTo`. A block's `count` and `countedUpTo` change
 * together, if the block is unchanged since the read. A fold may therefore stop anywhere, repeat or run twice: repeats
 * skip finished blocks. Adds the starts of blocks of level 0 that it fills to `full`.
 */
export async function foldAdjustments(hasTimeLeft: HasTimeLeft, full: Set<string>): Promise<Folded> {
  const checkpoint = await readCheckpoint();
  const { foldedUpTo, indexedUpTo, rebuildId } = checkpoint;
  if (rebuildId !== undefined) {
    await clearIndex(rebuildId, hasTimeLeft);
    return { folded: 0, outcome: 'partial' };
  }
  const advanceTo = async (upTo: number, folded: Folded): Promise<Folded> => {
    const update = checkpointUpdate(checkpoint, addFold(checkpoint, upTo, environment.now()));
    const { failure } = await writeIf('Update', update);
    return failure ? CONFLICT : folded;
  };
  const settled = environment.now() - SETTLING_MS;
  if (settled <= foldedUpTo) return { folded: 0, outcome: 'complete' };
  if (indexedUpTo === MIN_KEY) return advanceTo(settled, { folded: 0, outcome: 'complete' });
  const { adjustments, isComplete } = await readAdjustments({ after: foldedUpTo, upTo: settled });
  if (isComplete && adjustments.length === 0 && settled - foldedUpTo < ADVANCE_EVERY_MS)
    return { folded: 0, outcome: 'complete' };
  const upTo = isComplete ? settled : (adjustments.at(-1)?.time ?? settled);
  const due = new AdjustmentsById(adjustments.filter(({ id }) => id <= indexedUpTo));
  const { blocks } = await readTopLevel({ ConsistentRead: true });
  const outcome = await foldInto(blocks, due.size, { due, upTo, indexedUpTo, hasTimeLeft, full });
  if (outcome !== 'complete') return { folded: 0, outcome };
  return advanceTo(upTo, { folded: due.size, outcome: isComplete ? 'complete' : 'partial' });
}

type Fold = { due: AdjustmentsById; upTo: number; indexedUpTo: string; hasTimeLeft: HasTimeLeft; full: Set<string> };

/** Maximum parallel writes, because all levels together use the 1,000 writes a second of one DynamoDB partition. */
const MAX_PARALLEL = 4;

async function foldInto(blocks: Block[], count: number, fold: Fold): Promise<CycleStatus> {
  const affected = blocks
    .map((block) => ({ block, due: fold.due.selectInRange(block) }))
    .filter(({ due }) => due.length > 0);
  // Some adjustments found no block: a block is not visible yet.
  if (affected.reduce((sum, { due }) => sum + due.length, 0) < count) return 'conflict';
  return merge(await mapParallel(affected, ({ block, due }) => foldIntoBlock(block, due, fold), MAX_PARALLEL));
}

async function foldIntoBlock(block: Block, due: Adjustment[], fold: Fold): Promise<CycleStatus> {
  if (!fold.hasTimeLeft()) return 'partial';
  // Stop: another indexer has appended users to this block, and `due` may lack their adjustments.
  if (block.lastId > fold.indexedUpTo) return 'conflict';
  const own = due.filter(({ time }) => time > block.countedUpTo);
  if (block.level === 0 && isFull(0, block.count + sumDeltas(own))) fold.full.add(block.startAfter);
  const [result, below] = await Promise.all([
    own.length === 0 ? undefined : replaceCount(block, { count: block.count + sumDeltas(own), countedUpTo: fold.upTo }),
    block.level === 0 ? ('complete' as const) : foldIntoChildren(block, due.length, fold),
  ]);
  return result?.failure ? 'conflict' : below;
}

const foldIntoChildren = async (block: Block, count: number, fold: Fold) =>
  foldInto(await readBlocks(block.level - 1, block, { ConsistentRead: true }), count, fold);

const merge = (outcomes: CycleStatus[]): CycleStatus =>
  (['conflict', 'partial'] as const).find((outcome) => outcomes.includes(outcome)) ?? 'complete';
