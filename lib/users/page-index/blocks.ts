import type { Tombstone } from './tombstones.ts';

/** How many users make up a block of level 0, and how many blocks one of the level above. Readers do not depend on it. */
export type Fanout = { users: number; blocks: number };

/** 40 blocks are just below 4 KB, which is half a read capacity unit. */
export const FANOUT: Fanout = { users: 40, blocks: 40 };

export const LEVELS = [0, 1, 2];
export const TOP_LEVEL = 2;

/** The first block of each level starts here: before every id. */
export const MIN_KEY = '0';

/** The users after `startAfter`, up to and including `lastId`. */
export type BlockRange = { startAfter: string; lastId: string };

export const isInRange = (id: string, { startAfter, lastId }: BlockRange): boolean => id > startAfter && id <= lastId;

/** `count` is the number of users ever created in the range, less those with a tombstone up to `countedUpTo`. */
export type Block = BlockRange & { level: number; count: number; countedUpTo: number };

/** The blocks from `startAfter` on without a gap. Blocks after a gap are not visible yet, or this replica lags. */
export function takeContiguous(blocks: Block[], startAfter: string): Block[] {
  const gap = blocks.findIndex((block, index) => block.startAfter !== (blocks[index - 1]?.lastId ?? startAfter));
  return gap < 0 ? blocks : blocks.slice(0, gap);
}

/** How many users of a block's range exist now. */
export const countLive = (block: Block, tombstones: Tombstone[]): number =>
  block.count - tombstones.filter(({ id, time }) => time > block.countedUpTo && isInRange(id, block)).length;

export const sumLive = (blocks: Block[], tombstones: Tombstone[]): number =>
  blocks.reduce((sum, block) => sum + countLive(block, tombstones), 0);
