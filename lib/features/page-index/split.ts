import { TableName } from '../../dynamodb/client.ts';
import { transact } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import type { HasTimeLeft } from '../../maintenance/run.ts';
import { split } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import { queryUserIds } from '../../users/directory.ts';
import { readAdjustments } from './adjustments.ts';
import { selectCounted } from './append.ts';
import {
  type Block,
  encodeLastId,
  findBlock,
  isFull,
  LEVELS,
  readBlock,
  readBlocks,
  replacement,
  takeContiguous,
} from './blocks.ts';
import { type Checkpoint, checkpointUpdate, readCheckpoint } from './checkpoint.ts';
import { blockKey } from './keys.ts';
import { GSI_LAG_MS, VISIBILITY_MS } from './timing.ts';

/** A user, or a block of the level below. */
type Entry = { lastId: string; count: number };

/**
 * Splits full blocks of level 0, then full blocks above them. Returned users fill blocks without limit, and finding a
 * page reads a whole block of level 0. Call it after a complete fold.
 */
export async function splitBlocks(startsAfter: Iterable<string>, hasTimeLeft: HasTimeLeft): Promise<void> {
  let starts = new Set(startsAfter);
  for (const level of LEVELS) {
    const parents = new Set<string>();
    for (const startAfter of starts) {
      const lastId = await splitBlock(level, startAfter, hasTimeLeft);
      const parent = lastId && LEVELS.includes(level + 1) ? await findBlock(level + 1, lastId) : undefined;
      if (parent) parents.add(parent.startAfter);
    }
    starts = parents;
  }
}

/** Returns the last id of the block. Undefined if another writer or a lack of time has interrupted the split. */
async function splitBlock(level: number, startAfter: string, hasTimeLeft: HasTimeLeft): Promise<string | undefined> {
  let block = await readBlock({ level, startAfter });
  while (block) {
    const checkpoint = await readCheckpoint();
    if (checkpoint.rebuildId !== undefined || block.countedUpTo > checkpoint.foldedUpTo) return undefined;
    if (level === 0 && !isFull(0, block.count)) return block.lastId;
    const entries = level === 0 ? await listUsers(block, checkpoint) : await listChildren(block, checkpoint);
    if (!isFull(level, entries.length)) return block.lastId;
    const pieces = split(entries, level === 0 ? sizes.fanout.users : sizes.fanout.blocks).slice(0, -1);
    const isSplit = await splitOff(pieces.slice(0, sizes.blocksPerBatch), entries.length, block, checkpoint);
    if (!isSplit || !hasTimeLeft()) return undefined;
    block = await findBlock(level, block.lastId);
  }
  return undefined;
}

/** Lists the first users that the block counts as of `foldedUpTo`: enough for one transaction. */
async function listUsers(block: Block, { foldedUpTo }: Checkpoint): Promise<Entry[]> {
  const limit = (sizes.blocksPerBatch + 1) * sizes.fanout.users;
  const listed = await queryUserIds(block, limit);
  await environment.pause(VISIBILITY_MS);
  const { adjustments, isComplete } = await readAdjustments({ after: foldedUpTo - GSI_LAG_MS });
  if (!isComplete) return [];
  const lastId = listed.length < limit ? block.lastId : (listed.at(-1) ?? block.lastId);
  const ids = selectCounted(listed, { ...block, lastId }, adjustments, foldedUpTo);
  return ids.map((id) => ({ lastId: id, count: 1 }));
}

async function listChildren(block: Block, { foldedUpTo }: Checkpoint): Promise<Entry[]> {
  const children = await readBlocks(block.level - 1, block, { ConsistentRead: true });
  const contiguous = takeContiguous(children, block.startAfter);
  const isWhole = contiguous.length === children.length && children.at(-1)?.lastId === block.lastId;
  return isWhole && children.every(({ countedUpTo }) => countedUpTo <= foldedUpTo) ? children : [];
}

/**
 * Replaces the block by smaller blocks, in one transaction. All count as of `foldedUpTo`.
 * Returns false if the block or the checkpoint has changed.
 */
async function splitOff(pieces: Entry[][], entries: number, block: Block, read: Checkpoint): Promise<boolean> {
  const { level } = block;
  const counted = { level, countedUpTo: read.foldedUpTo };
  const blocks: Block[] = [];
  let [startAfter, count] = [block.startAfter, block.count];
  for (const piece of pieces) {
    const own = piece.reduce((sum, entry) => sum + entry.count, 0);
    const lastId = piece.at(-1)?.lastId ?? startAfter;
    blocks.push({ ...counted, startAfter, lastId, count: own });
    [startAfter, count] = [lastId, count - own];
  }
  const rest = { ...counted, startAfter, lastId: block.lastId, count };
  const [first, ...others] = [...blocks, rest];
  if (!first) return false;
  // The newest block of a level receives the next users.
  const size = level === 0 ? count : entries - pieces.flat().length;
  const isOpen = block.lastId === read.indexedUpTo;
  const next = isOpen ? { ...read, openBlocks: read.openBlocks.with(level, { startAfter, size }) } : read;
  const { failures } = await transact({
    checkpoint: { Update: checkpointUpdate(read, next) },
    first: { Update: { TableName, ...replacement(block, first) } },
    ...Object.fromEntries(others.map((other, at) => [String(at), { Put: newBlock(other) }])),
  });
  return !failures;
}

const newBlock = ({ level, startAfter, lastId, count, countedUpTo }: Block) => ({
  TableName,
  Item: { ...blockKey(level, startAfter), lastId: encodeLastId(lastId), count, countedUpTo },
  ConditionExpression: 'attribute_not_exists(pk)',
});
