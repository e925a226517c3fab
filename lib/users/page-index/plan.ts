import { type BlockRange, type Fanout, LEVELS } from './blocks.ts';
import type { OpenBlock } from './checkpoint.ts';

/** What a batch adds to a block. */
export type BlockDelta = BlockRange & { level: number; count: number; isNew: boolean };

/** DynamoDB's limit is 100 items in a transaction: the checkpoint, and the blocks of a batch. */
const MAX_BLOCKS = 90;

/** The number of users that fill that many blocks of all levels together. */
export function nextBatchSize({ users, blocks }: Fanout): number {
  const blocksPerUser = LEVELS.reduce((sum, level) => sum + 1 / (users * blocks ** level), 0);
  return Math.floor(MAX_BLOCKS / blocksPerUser);
}

/** A level while it is being planned: its newest block, and the changes to it and to the new ones. */
type Level = { size: number; deltas: BlockDelta[] };

/** Appends users, in the order of their ids, to the newest blocks and to new ones after these. */
export function planBatch(ids: string[], openBlocks: OpenBlock[], indexedUpTo: string, fanout: Fanout) {
  const levels: Level[] = LEVELS.map((level) => {
    const open = openBlocks[level];
    if (!open) return { size: Number.POSITIVE_INFINITY, deltas: [] };
    const { startAfter, size } = open;
    return { size, deltas: [{ level, startAfter, lastId: indexedUpTo, count: 0, isNew: false }] };
  });
  let lastId = indexedUpTo;
  for (const id of ids) {
    if (levels[0] && levels[0].size >= fanout.users) startBlocks(levels, lastId, fanout);
    if (levels[0]) levels[0].size++;
    for (const { deltas } of levels) {
      const newest = deltas.at(-1);
      if (newest) Object.assign(newest, { count: newest.count + 1, lastId: id });
    }
    lastId = id;
  }
  return {
    // A full block is left as it is.
    deltas: levels.flatMap(({ deltas }) => deltas.filter(({ count }) => count > 0)),
    openBlocks: levels.map(({ size, deltas }) => ({ startAfter: deltas.at(-1)?.startAfter ?? '', size })),
  };
}

/** Starts a block of level 0, which the block above takes in, or a new one above does where that is full. */
function startBlocks(levels: Level[], startAfter: string, fanout: Fanout): void {
  for (const [number, level] of levels.entries()) {
    if (number > 0 && level.size < fanout.blocks) {
      level.size++;
      return;
    }
    level.size = number === 0 ? 0 : 1;
    level.deltas.push({ level: number, startAfter, lastId: startAfter, count: 0, isNew: true });
  }
}
