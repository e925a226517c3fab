import { updateItemIf } from '../../dynamodb/conditional-writes.ts';
import { type Block, isInRange, MIN_KEY, readBlocks, replaceCount } from './blocks.ts';
import { addFold, advance, readCheckpoint, readTopLevel } from './checkpoint.ts';
import { SETTLING_MS } from './timing.ts';
import { readTombstones, type Tombstone } from './tombstones.ts';

/** All that has settled is done, more is left, or another indexer or a read that lags came between. */
export type CycleStatus = 'complete' | 'partial' | 'conflict';

type Folded = { folded: number; outcome: CycleStatus };

const CONFLICT: Folded = { folded: 0, outcome: 'conflict' };

/** If there are no tombstones, the checkpoint is moved this often, so that readers need not go far back. */
const ADVANCE_EVERY_MS = 30_000;

/**
 * Takes the settled tombstones into the blocks of all levels, then moves `foldedUpTo`. Each block is written by itself:
 * its count and `countedUpTo` change together, and only from the version that was read. So this may end anywhere, and be
 * done again or twice at once.
 */
export async function foldTombstones(now: () => number): Promise<Folded> {
  const checkpoint = await readCheckpoint();
  const { foldedUpTo, indexedUpTo, isRebuilding } = checkpoint;
  const settled = now() - SETTLING_MS;
  const advanceTo = async (upTo: number, folded: Folded): Promise<Folded> =>
    (await updateItemIf(advance(checkpoint, addFold(checkpoint, upTo, now())))) ? folded : CONFLICT;
  if (isRebuilding) return CONFLICT;
  if (settled <= foldedUpTo) return { folded: 0, outcome: 'complete' };
  if (indexedUpTo === MIN_KEY) return advanceTo(settled, { folded: 0, outcome: 'complete' });
  const { tombstones, isComplete } = await readTombstones({ after: foldedUpTo, upTo: settled });
  if (isComplete && tombstones.length === 0 && settled - foldedUpTo < ADVANCE_EVERY_MS)
    return { folded: 0, outcome: 'complete' };
  // There may be more tombstones of the last millisecond that was read.
  const upTo = isComplete ? settled : (tombstones.at(-1)?.time ?? settled) - 1;
  const due = tombstones.filter(({ id, time }) => id <= indexedUpTo && time <= upTo);
  const { blocks } = await readTopLevel(true);
  if (!(await foldInto(blocks, due, { upTo, indexedUpTo }))) return CONFLICT;
  return advanceTo(upTo, { folded: due.length, outcome: isComplete ? 'complete' : 'partial' });
}

type Limits = { upTo: number; indexedUpTo: string };

/** Returns false when another writer came between, or a block is not visible yet. */
async function foldInto(blocks: Block[], due: Tombstone[], limits: Limits): Promise<boolean> {
  const affected = blocks
    .map((block) => ({ block, own: due.filter(({ id }) => isInRange(id, block)) }))
    .filter(({ own }) => own.length > 0);
  if (affected.reduce((sum, { own }) => sum + own.length, 0) < due.length) return false;
  const results = await inParallel(affected, ({ block, own }) => foldIntoBlock(block, own, limits));
  return results.every(Boolean);
}

async function foldIntoBlock(block: Block, due: Tombstone[], limits: Limits): Promise<boolean> {
  // Another indexer has appended users, whose tombstones are not all among these.
  if (block.lastId > limits.indexedUpTo) return false;
  const own = due.filter(({ time }) => time > block.countedUpTo);
  const [written, belowWritten] = await Promise.all([
    block.countedUpTo >= limits.upTo ||
      replaceCount(block, { count: block.count - own.length, countedUpTo: limits.upTo }),
    block.level === 0 || foldIntoChildren(block, due, limits),
  ]);
  return written && belowWritten;
}

const foldIntoChildren = async (block: Block, due: Tombstone[], limits: Limits) =>
  foldInto(await readBlocks(block.level - 1, block, { ConsistentRead: true }), due, limits);

const AT_ONCE = 8;

async function inParallel<Item, Result>(items: Item[], run: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE)
    results.push(...(await Promise.all(items.slice(start, start + AT_ONCE).map(run))));
  return results;
}
