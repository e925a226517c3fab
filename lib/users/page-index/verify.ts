import { queryUserIds } from '../directory.ts';
import { readBlocks } from './block-store.ts';
import { type Block, countLive, isInRange, MIN_KEY, sumLive, takeContiguous } from './blocks.ts';
import { readCheckpoint, readTopLevel } from './checkpoint.ts';
import { GSI_LAG_MS } from './timing.ts';
import { readTombstones, type Tombstone } from './tombstones.ts';

/** A block whose count seems wrong. Reads that lag can cause that too, which `repair` finds out. */
export type Difference = Pick<Block, 'level' | 'startAfter'>;

/** A block of level 1 or 2, how many users its range has, and what differs in it. */
export type Verified = Pick<Block, 'level' | 'lastId'> & { users: number; differences: Difference[] };

/**
 * Compares every count with the directory, from the block of the top level on that holds `from`. Reads as its results
 * are taken, so that repairs of one block are seen when those above it are compared.
 */
export async function* verifyAll(from = MIN_KEY): AsyncGenerator<Verified> {
  const { blocks } = await readTopLevel(true);
  for (const top of blocks.filter(({ lastId }) => lastId > from)) {
    for (const block of await readBlocks(1, top, { ConsistentRead: true })) yield await verifyBlock(block);
    yield await verifyTop(top);
  }
}

/** All tombstones that a block may not contain. */
export async function readUnfolded(): Promise<Tombstone[]> {
  const { foldedUpTo } = await readCheckpoint();
  const { tombstones, isComplete } = await readTombstones({ after: foldedUpTo - GSI_LAG_MS });
  if (!isComplete) throw new Error('Too many tombstones are not folded yet: verify when index-pages has caught up');
  return tombstones;
}

/** Compares a block of level 1 and its children with the directory. */
export async function verifyBlock(block: Block): Promise<Verified> {
  const children = await readBlocks(0, block, { ConsistentRead: true });
  const ids = await queryUserIds(block);
  const tombstones = await readUnfolded();
  const deleted = new Set(tombstones.map(({ id }) => id));
  const users = ids.filter((id) => !deleted.has(id));
  const differences = [...children, block].filter(
    (one) =>
      one.lastId <= block.lastId && countLive(one, tombstones) !== users.filter((id) => isInRange(id, one)).length,
  );
  return { level: block.level, lastId: block.lastId, users: users.length, differences };
}

/** Compares a block of level 2 with its children. */
export async function verifyTop(block: Block): Promise<Verified> {
  const children = takeContiguous(await readBlocks(1, block, { ConsistentRead: true }), block.startAfter);
  const tombstones = await readUnfolded();
  const users = sumLive(children, tombstones);
  const isComparable = children.at(-1)?.lastId === block.lastId;
  const differences = isComparable && users !== countLive(block, tombstones) ? [block] : [];
  return { level: block.level, lastId: block.lastId, users, differences };
}
