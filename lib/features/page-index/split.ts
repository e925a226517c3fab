import { TableName } from '../../dynamodb/client.ts';
import { transact } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import type { HasTimeLeft } from '../../maintenance/run.ts';
import { mapParallel, split } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import { queryUserIds } from '../../users/directory.ts';
import { readAdjustments } from './adjustments.ts';
import { selectCounted } from './append.ts';
import {
  AdjustmentsById,
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

/** `size`: entries of the block. */
type Part = Block & { size: number };

/** Replaces a stored block by the blocks `into`. */
type Split = { block: Block; into: Part[] };

/**
 * Splits full blocks of level 0, then full blocks above them. Returned users fill blocks without limit, and finding a
 * page reads a whole block of level 0. Call it after a complete fold. Removes finished blocks from `starts`.
 */
export async function splitBlocks(starts: Set<string>, hasTimeLeft: HasTimeLeft): Promise<void> {
  const found = await mapParallel([...starts].sort(), (startAfter) => readBlock({ level: 0, startAfter }));
  let blocks = found.filter((block) => block !== undefined);
  for (const level of LEVELS) {
    const waiting = level === 0 ? blocks.filter(({ count }) => isFull(0, count)) : [...blocks];
    while (waiting.length > 0) {
      if (!hasTimeLeft()) return;
      const rest = await splitEach(takeStep(waiting), hasTimeLeft);
      if (!rest) return;
      waiting.unshift(...rest);
    }
    if (level === 0) starts.clear();
    blocks = LEVELS.includes(level + 1) ? await findParents(level + 1, blocks) : [];
  }
}

/** Removes the next blocks from `waiting`: as many as have users for one step. */
function takeStep(waiting: Block[]): Block[] {
  let users = 0;
  const last = waiting.findIndex(({ count }) => {
    users += count;
    return users >= sizes.indexedUsers;
  });
  return waiting.splice(0, last < 0 ? waiting.length : last + 1);
}

async function findParents(level: number, sorted: Block[]): Promise<Block[]> {
  const parents: Block[] = [];
  for (const { lastId } of sorted) {
    if (lastId <= (parents.at(-1)?.lastId ?? '')) continue;
    const parent = await findBlock(level, lastId);
    if (parent) parents.push(parent);
  }
  return parents;
}

/**
 * Splits blocks of one level. Returns the rest of blocks with too many users for one step. Undefined if another writer
 * or a lack of time has interrupted it.
 */
async function splitEach(blocks: Block[], hasTimeLeft: HasTimeLeft): Promise<Block[] | undefined> {
  let checkpoint = await readCheckpoint();
  const { foldedUpTo, rebuildId } = checkpoint;
  if (rebuildId !== undefined || blocks.some(({ countedUpTo }) => countedUpTo > foldedUpTo)) return undefined;
  const entries = blocks[0]?.level === 0 ? await listUsers(blocks, foldedUpTo) : await listChildren(blocks, foldedUpTo);
  const planned = blocks.map((block, at) => planSplits(block, entries[at] ?? [], foldedUpTo));
  const splits = planned.flat();
  while (splits.length > 0) {
    const next = await commitSplits(takeTransaction(splits), checkpoint);
    if (!next || !hasTimeLeft()) return undefined;
    checkpoint = next;
  }
  return planned
    .flatMap((own) => own.at(-1)?.into.at(-1) ?? [])
    .filter(({ level, count }) => level === 0 && isFull(0, count));
}

/** Lists the first users that each block counts as of `foldedUpTo`. */
async function listUsers(blocks: Block[], foldedUpTo: number): Promise<Entry[][]> {
  const limit = sizes.indexedUsers;
  const listed = await mapParallel(blocks, (block) => queryUserIds(block, limit));
  await environment.pause(VISIBILITY_MS);
  const { adjustments, isComplete } = await readAdjustments({ after: foldedUpTo - GSI_LAG_MS });
  if (!isComplete) return [];
  const byId = new AdjustmentsById(adjustments);
  return blocks.map((block, at) => {
    const users = listed[at] ?? [];
    const range = users.length < limit ? block : { ...block, lastId: users.at(-1) ?? block.lastId };
    const ids = selectCounted(users, range, byId.selectInRange(range), foldedUpTo);
    return ids.map((id) => ({ lastId: id, count: 1 }));
  });
}

const listChildren = (blocks: Block[], foldedUpTo: number): Promise<Entry[][]> =>
  mapParallel(blocks, async (block) => {
    const children = await readBlocks(block.level - 1, block, { ConsistentRead: true });
    const contiguous = takeContiguous(children, block.startAfter);
    const isWhole = contiguous.length === children.length && children.at(-1)?.lastId === block.lastId;
    return isWhole && children.every(({ countedUpTo }) => countedUpTo <= foldedUpTo) ? children : [];
  });

/** Plans one split per transaction. All blocks count as of `foldedUpTo`. */
function planSplits(block: Block, entries: Entry[], foldedUpTo: number): Split[] {
  const { level } = block;
  if (!isFull(level, entries.length)) return [];
  const pieces = split(entries, level === 0 ? sizes.fanout.users : sizes.fanout.blocks).slice(0, -1);
  let read = block;
  let rest: Part = { ...block, countedUpTo: foldedUpTo, size: level === 0 ? block.count : entries.length };
  return split(pieces, sizes.blocksPerBatch).map((batch) => {
    const into: Part[] = [];
    for (const piece of batch) {
      const lastId = piece.at(-1)?.lastId ?? rest.startAfter;
      const count = piece.reduce((sum, entry) => sum + entry.count, 0);
      into.push({ ...rest, lastId, count, size: piece.length });
      rest = { ...rest, startAfter: lastId, count: rest.count - count, size: rest.size - piece.length };
    }
    const planned = { block: read, into: [...into, rest] };
    read = rest;
    return planned;
  });
}

/** Removes the first splits: one large, or several small ones. */
function takeTransaction(splits: Split[]): Split[] {
  let blocks = 0;
  const end = splits.findIndex(({ into }, at) => {
    blocks += into.length;
    return at > 0 && blocks > sizes.blocksPerBatch;
  });
  return splits.splice(0, end < 0 ? splits.length : end);
}

/** Undefined if a block or the checkpoint has changed. */
async function commitSplits(splits: Split[], read: Checkpoint): Promise<Checkpoint | undefined> {
  // The newest block of a level receives the next users.
  const open = splits.find(({ block }) => block.lastId === read.indexedUpTo)?.into.at(-1);
  const next = open
    ? { ...read, openBlocks: read.openBlocks.with(open.level, { startAfter: open.startAfter, size: open.size }) }
    : read;
  const items = splits.flatMap(({ block, into: [first = block, ...others] }) => [
    { Update: { TableName, ...replacement(block, first) } },
    ...others.map((other) => ({ Put: newBlock(other) })),
  ]);
  const { failures } = await transact({
    checkpoint: { Update: checkpointUpdate(read, next) },
    ...Object.fromEntries(items.map((item, at) => [String(at), item])),
  });
  return failures ? undefined : next;
}

const newBlock = ({ level, startAfter, lastId, count, countedUpTo }: Block) => ({
  TableName,
  Item: { ...blockKey(level, startAfter), lastId: encodeLastId(lastId), count, countedUpTo },
  ConditionExpression: 'attribute_not_exists(pk)',
});
