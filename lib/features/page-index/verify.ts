import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from '../../environment.ts';
import { ServiceError } from '../../errors.ts';
import { minUuidAt } from '../../input/uuidv7.ts';
import { queryUserIds } from '../../users/directory.ts';
import { findUser } from '../../users/read.ts';
import { AdjustmentsById, listDeleted, readAdjustments } from './adjustments.ts';
import {
  type Block,
  countLive,
  findBlock,
  findNextBlock,
  isInRange,
  MIN_KEY,
  readBlock,
  readBlocks,
  replaceCount,
  sumLive,
  TOP_LEVEL,
  takeContiguous,
} from './blocks.ts';
import { readCheckpoint, readTopLevel, saveVerified } from './checkpoint.ts';
import { GSI_LAG_MS, SETTLING_MS, VERIFY_AFTER_MS, VISIBILITY_MS } from './timing.ts';

/**
 * Verifies users once the GSI shows them whatever happened, some minutes after they were created, and the block that is
 * next in turn, so that no wrong count lasts. Yields the repairs so far after each block.
 */
export async function* verifyCounts(now: number, pause?: Pause): AsyncGenerator<Repair[]> {
  // The blocks of new users may take all of the time.
  const repairs = await verifyNext(pause);
  yield repairs;
  for await (const found of verifyRecent(now, pause)) {
    repairs.push(...found);
    yield repairs;
  }
}

/** So many blocks of level 1 in a run keep up with a thousand creates a second. */
const MAX_RECENT = 50;

const CONSISTENT = { ConsistentRead: true };

/** Yields the repairs of each block of level 1. */
async function* verifyRecent(now: number, pause?: Pause): AsyncGenerator<Repair[]> {
  const { indexedUpTo, verifiedUpTo } = await readCheckpoint();
  const oldEnough = minUuidAt(now - VERIFY_AFTER_MS);
  const lastId = indexedUpTo < oldEnough ? indexedUpTo : oldEnough;
  if (lastId <= verifiedUpTo) return;
  const first = await findBlock(1, verifiedUpTo);
  const blocks = await readBlocks(1, { startAfter: first?.startAfter ?? MIN_KEY, lastId }, CONSISTENT);
  for (const block of blocks.slice(0, MAX_RECENT)) {
    const repairs = await verifyAndRepair(block, pause);
    await saveVerified({ verifiedUpTo: block.lastId < lastId ? block.lastId : lastId });
    yield repairs;
  }
}

/** Sorts before the first block: DynamoDB rejects an empty string as the value of a key attribute. */
const BEFORE_ALL = ' ';

/** Verifies the block that is next in turn, so that no wrong count lasts, whatever caused it. */
async function verifyNext(pause?: Pause): Promise<Repair[]> {
  const { lastVerified } = await readCheckpoint();
  const block = (await findNextBlock(1, lastVerified)) ?? (await findNextBlock(1, BEFORE_ALL));
  if (!block) return [];
  const repairs = await verifyAndRepair(block, pause);
  await saveVerified({ lastVerified: block.startAfter });
  return repairs;
}

/** A block of level 1, its children and the block above it. */
async function verifyAndRepair(block: Block, pause?: Pause): Promise<Repair[]> {
  const repairs = await repairAll(await verifyBlock(block), pause);
  const top = await findBlock(TOP_LEVEL, block.lastId);
  return top ? [...repairs, ...(await repairAll(await verifyTop(top), pause))] : repairs;
}

/** A block whose count seems wrong. Reads that lag can cause that too, which `repair` finds out. */
export type CountMismatch = Pick<Block, 'level' | 'startAfter'>;

/** A block of level 1 or 2, how many users its range has, and what differs in it. */
export type Verified = Pick<Block, 'level' | 'lastId'> & { users: number; differences: CountMismatch[] };

/**
 * Compares every count with the directory, from the block of the top level on that holds `from`. Reads as its results
 * are taken, so that repairs of one block are seen when those above it are compared.
 */
export async function* verifyAll(from = MIN_KEY): AsyncGenerator<Verified> {
  const { blocks } = await readTopLevel(true);
  for (const top of blocks.filter(({ lastId }) => lastId > from)) {
    for (const block of await readBlocks(1, top, CONSISTENT)) yield await verifyBlock(block);
    yield await verifyTop(top);
  }
}

/** Verifies all, from the block of the top level on that holds `from`; `next` is where to continue when time is up. */
export async function repairIndex(hasTimeLeft: () => boolean, from?: string) {
  const found = { users: 0, repaired: 0, next: undefined as string | undefined };
  for await (const verified of verifyAll(from)) {
    found.repaired += (await repairAll(verified)).length;
    if (verified.level === 1) found.users += verified.users;
    else if (!hasTimeLeft()) return { ...found, next: verified.lastId };
  }
  return found;
}

/** All adjustments that a block may not contain. Throws SERVICE_UNAVAILABLE when they are too many to read for each block. */
async function readUnfolded(): Promise<AdjustmentsById> {
  const { foldedUpTo } = await readCheckpoint();
  const { adjustments, isComplete } = await readAdjustments({ after: foldedUpTo - GSI_LAG_MS });
  if (isComplete) return new AdjustmentsById(adjustments);
  const message = 'Too many adjustments are not folded yet: verify when index-pages has caught up';
  throw new ServiceError('SERVICE_UNAVAILABLE', message);
}

/** Compares a block of level 1 and its children with the directory. */
async function verifyBlock(block: Block): Promise<Verified> {
  const children = await readBlocks(0, block, CONSISTENT);
  const ids = await queryUserIds(block);
  const adjustments = await readUnfolded();
  const deleted = listDeleted(adjustments.selectInRange(block));
  const users = ids.filter((id) => !deleted.has(id));
  const differences = [...children, block].filter(
    (one) =>
      one.lastId <= block.lastId && countLive(one, adjustments) !== users.filter((id) => isInRange(id, one)).length,
  );
  return { level: block.level, lastId: block.lastId, users: users.length, differences };
}

/** Compares a block of level 2 with its children. */
async function verifyTop(block: Block): Promise<Verified> {
  const children = takeContiguous(await readBlocks(1, block, CONSISTENT), block.startAfter);
  const adjustments = await readUnfolded();
  const users = sumLive(children, adjustments);
  const isComparable = children.at(-1)?.lastId === block.lastId;
  const differences = isComparable && users !== countLive(block, adjustments) ? [block] : [];
  return { level: block.level, lastId: block.lastId, users, differences };
}

/** A count that was wrong, and what it is now. */
export type Repair = CountMismatch & { was: number; is: number };

export type Pause = (milliseconds: number) => Promise<unknown>;

/** Counts the users that a block's range has now, given all adjustments that matter; undefined while that cannot be told. */
type ActualCount = (adjustments: AdjustmentsById) => number | undefined;

/** They take longer than a return needs to settle. */
const MAX_ATTEMPTS = 7;

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
 * Sets a count right if it really is wrong: adjustments are read once those of all deletes that were seen are visible,
 * and the count is written only to the version of the block that was read. Undefined when it is right.
 */
export async function repair(difference: CountMismatch, pause: Pause = sleep): Promise<Repair | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const block = await readBlock(difference);
    if (!block) return undefined;
    const count = await (block.level === 0 ? countInDirectory(block) : countInChildren(block));
    await pause(VISIBILITY_MS);
    const adjustments = await readUnfolded();
    const actual = count(adjustments);
    if (actual === undefined) continue;
    const missing = actual - countLive(block, adjustments);
    if (missing === 0) return undefined;
    const is = block.count + missing;
    if (await replaceCount(block, { ...block, count: is }))
      return { level: block.level, startAfter: block.startAfter, was: block.count, is };
  }
  return undefined;
}

/**
 * The directory may still show a deleted user, so each is looked up. Returns undefined while it may not show yet who has
 * returned.
 */
async function countInDirectory(block: Block): Promise<ActualCount> {
  const startedAt = environment.now();
  const users = await Promise.all((await queryUserIds(block)).map(findUser));
  return (adjustments) => {
    const recent = adjustments.selectInRange(block).filter(({ time }) => time > startedAt - 2 * SETTLING_MS);
    if (recent.some(({ delta }) => delta > 0)) return undefined;
    const deleted = new Set(recent.filter(({ time }) => time > startedAt - SETTLING_MS).map(({ id }) => id));
    return users.filter((user) => user && !deleted.has(user.id)).length;
  };
}

/** Returns undefined while children are not visible, or the newest has grown. */
async function countInChildren(block: Block): Promise<ActualCount> {
  const children = await readBlocks(block.level - 1, block, CONSISTENT);
  const contiguous = takeContiguous(children, block.startAfter);
  return (adjustments) => (contiguous.at(-1)?.lastId === block.lastId ? sumLive(contiguous, adjustments) : undefined);
}
