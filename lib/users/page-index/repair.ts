import { setTimeout as sleep } from 'node:timers/promises';
import { queryUserIds } from '../directory.ts';
import { findUser } from '../get.ts';
import { readBlock, readBlocks, replaceCount } from './block-store.ts';
import { type Block, countLive, sumLive, takeContiguous } from './blocks.ts';
import { VISIBILITY_MS } from './timing.ts';
import type { Tombstone } from './tombstones.ts';
import { type Difference, readUnfolded, type Verified } from './verify.ts';

/** A count that was wrong, and what it is now. */
export type Repair = Difference & { was: number; is: number };

export type Pause = (milliseconds: number) => Promise<unknown>;

/** How many users a block's range has now, given all tombstones that matter; undefined while that cannot be told. */
type ActualCount = (tombstones: Tombstone[]) => number | undefined;

const MAX_ATTEMPTS = 5;

/** Repairs what verification found, blocks before those above them. */
export async function repairAll(
  { differences }: Pick<Verified, 'differences'>,
  pause: Pause = sleep,
): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (const difference of differences) {
    const repaired = await repair(difference, pause);
    if (repaired) repairs.push(repaired);
  }
  return repairs;
}

/**
 * Sets a count right if it really is wrong: tombstones are read once those of all deletes that were seen are visible,
 * and the count is written only to the version of the block that was read. Undefined when it is right.
 */
export async function repair(difference: Difference, pause: Pause = sleep): Promise<Repair | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const block = await readBlock(difference);
    if (!block) return undefined;
    const count = await (block.level === 0 ? countInDirectory(block) : countInChildren(block));
    await pause(VISIBILITY_MS);
    const tombstones = await readUnfolded();
    const actual = count(tombstones);
    if (actual === undefined) continue;
    const missing = actual - countLive(block, tombstones);
    if (missing === 0) return undefined;
    const is = block.count + missing;
    if (await replaceCount(block, { ...block, count: is }))
      return { level: block.level, startAfter: block.startAfter, was: block.count, is };
  }
  return undefined;
}

/** The directory may still show a deleted user, so each is looked up. */
async function countInDirectory(block: Block): Promise<ActualCount> {
  const users = await Promise.all((await queryUserIds(block)).map(findUser));
  return (tombstones) => {
    const deleted = new Set(tombstones.map(({ id }) => id));
    return users.filter((user) => user && !deleted.has(user.id)).length;
  };
}

/** Undefined while children are not visible, or the newest has grown. */
async function countInChildren(block: Block): Promise<ActualCount> {
  const children = await readBlocks(block.level - 1, block, { ConsistentRead: true });
  const contiguous = takeContiguous(children, block.startAfter);
  return (tombstones) => (contiguous.at(-1)?.lastId === block.lastId ? sumLive(contiguous, tombstones) : undefined);
}
