import { getItems } from '../../dynamodb/batch.ts';
import { parseUserId, userKey } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { ServiceError } from '../../errors.ts';
import { minUuidAt } from '../../input/uuidv7.ts';
import type { HasTimeLeft } from '../../maintenance/run.ts';
import { split } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import { queryUserIds } from '../../users/directory.ts';
import { listDeleted, readAdjustments } from './adjustments.ts';
import {
  AdjustmentsById,
  type Block,
  countLive,
  findBlock,
  findNextBlock,
  isFull,
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
import { splitBlocks } from './split.ts';
import { GSI_LAG_MS, SETTLING_MS, VERIFY_AFTER_MS, VISIBILITY_MS } from './timing.ts';

/**
 * Verifies new blocks once the GSI reliably shows their users, and one older block per run, in rotation. Yields all
 * repairs so far.
 */
export async function* verifyCounts(hasTimeLeft: HasTimeLeft = () => true): AsyncGenerator<Repair[]> {
  // Verify an older block first: the new blocks may use up all the time.
  const repairs = await verifyOlder(hasTimeLeft);
  yield repairs;
  for await (const found of verifyRecent(hasTimeLeft)) {
    repairs.push(...found);
    yield repairs;
  }
}

/** Maximum new blocks per run: enough for 1,000 creations a second. */
const MAX_RECENT = 50;

const CONSISTENT = { ConsistentRead: true };

async function* verifyRecent(hasTimeLeft: HasTimeLeft): AsyncGenerator<Repair[]> {
  const { indexedUpTo, verifiedUpTo } = await readCheckpoint();
  const oldEnough = minUuidAt(environment.now() - VERIFY_AFTER_MS);
  const lastId = indexedUpTo < oldEnough ? indexedUpTo : oldEnough;
  if (lastId <= verifiedUpTo) return;
  const first = await findBlock(1, verifiedUpTo);
  const blocks = await readBlocks(1, { startAfter: first?.startAfter ?? MIN_KEY, lastId }, CONSISTENT);
  for (const block of blocks.slice(0, MAX_RECENT)) {
    const repairs = await verifyAndRepair(block, hasTimeLeft);
    await saveVerified('verifiedUpTo', block.lastId < lastId ? block.lastId : lastId);
    yield repairs;
  }
}

/** Sorts before the first block. DynamoDB rejects an empty string in a key. */
const BEFORE_ALL = ' ';

async function verifyOlder(hasTimeLeft: HasTimeLeft): Promise<Repair[]> {
  const { lastVerified } = await readCheckpoint();
  const found = (await findNextBlock(1, lastVerified)) ?? (await findNextBlock(1, BEFORE_ALL));
  if (!found) return [];
  await splitChildren(found, hasTimeLeft);
  const block = (await readBlock(found)) ?? found;
  const repairs = await verifyAndRepair(block, hasTimeLeft);
  await saveVerified('lastVerified', block.startAfter);
  return repairs;
}

/** Splits blocks that an interrupted indexer has left full. Verifying a large block takes too long. */
async function splitChildren(block: Block, hasTimeLeft: HasTimeLeft): Promise<void> {
  const children = await readBlocks(0, block);
  const full = children.filter(({ count }) => isFull(0, count));
  if (full.length > 0 || isFull(1, children.length))
    await splitBlocks(new Set([block.startAfter, ...full.map(({ startAfter }) => startAfter)]), hasTimeLeft);
}

async function verifyAndRepair(block: Block, hasTimeLeft: HasTimeLeft): Promise<Repair[]> {
  const repairs = await repairAll(await verifyBlock(block), hasTimeLeft);
  const top = await findBlock(TOP_LEVEL, block.lastId);
  return top ? [...repairs, ...(await repairAll(await verifyTop(top), hasTimeLeft))] : repairs;
}

/**
 * A block with a count that differs from the directory, or from the sum of the children. A lagging read may be the
 * cause, so `repair` checks again.
 */
type CountMismatch = Pick<Block, 'level' | 'startAfter'>;

type Verified = Pick<Block, 'level' | 'lastId'> & { users: number; differences: CountMismatch[] };

/**
 * Verifies all blocks from the top-level block that contains `from`. Yields the children before their parent is
 * compared, so that the caller can repair them first.
 */
export async function* verifyAll(from = MIN_KEY): AsyncGenerator<Verified> {
  const { blocks } = await readTopLevel({ ConsistentRead: true });
  for (const top of blocks.filter(({ lastId }) => lastId > from)) {
    for (const block of await readBlocks(1, top, CONSISTENT)) yield await verifyBlock(block);
    yield await verifyTop(top);
  }
}

/** Verifies and repairs all blocks. If time is up, returns `next`: pass it as `from` to continue. */
export async function repairIndex(hasTimeLeft: () => boolean, from?: string) {
  const found = { users: 0, repaired: 0, next: undefined as string | undefined };
  for await (const verified of verifyAll(from)) {
    found.repaired += (await repairAll(verified)).length;
    if (verified.level === 1) found.users += verified.users;
    else if (!hasTimeLeft()) return { ...found, next: verified.lastId };
  }
  return found;
}

/** Throws SERVICE_UNAVAILABLE if there are too many adjustments to read them for each block. */
async function readUnfolded(): Promise<AdjustmentsById> {
  const { foldedUpTo } = await readCheckpoint();
  const { adjustments, isComplete } = await readAdjustments({ after: foldedUpTo - GSI_LAG_MS });
  if (isComplete) return new AdjustmentsById(adjustments);
  const message = 'Too many adjustments are not folded yet: verify again once index-pages has caught up';
  throw new ServiceError('SERVICE_UNAVAILABLE', message);
}

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

async function verifyTop(block: Block): Promise<Verified> {
  const children = takeContiguous(await readBlocks(1, block, CONSISTENT), block.startAfter);
  const adjustments = await readUnfolded();
  const users = sumLive(children, adjustments);
  const isComparable = children.at(-1)?.lastId === block.lastId;
  const differences = isComparable && users !== countLive(block, adjustments) ? [block] : [];
  return { level: block.level, lastId: block.lastId, users, differences };
}

export type Repair = CountMismatch & { was: number; is: number };

/** Attempts per block. The pauses between them are together longer than a returned user needs to settle. */
const MAX_ATTEMPTS = 7;

/**
 * Repairs children before parents, because a parent is compared with its children. Differences that it has no time for
 * wait for the next verification: an import of older users makes the directory differ from many blocks for seconds.
 */
export async function repairAll(
  { differences }: Pick<Verified, 'differences'>,
  hasTimeLeft: HasTimeLeft = () => true,
): Promise<Repair[]> {
  const repairs: Repair[] = [];
  for (const difference of differences) {
    const repaired = await repair(difference, hasTimeLeft);
    if (repaired) repairs.push(repaired);
  }
  return repairs;
}

/** Writes only if the block is unchanged. Undefined if the count is right. */
async function repair(difference: CountMismatch, hasTimeLeft: HasTimeLeft): Promise<Repair | undefined> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS && hasTimeLeft(); attempt++) {
    const block = await readBlock(difference);
    if (!block) return undefined;
    const { users, adjustments } = await (block.level === 0 ? countInDirectory : countInChildren)(block);
    if (users === undefined) continue;
    const missing = users - countLive(block, adjustments);
    if (missing === 0) return undefined;
    const is = block.count + missing;
    if (!(await replaceCount(block, { ...block, count: is })).failure)
      return { level: block.level, startAfter: block.startAfter, was: block.count, is };
  }
  return undefined;
}

/** `users` is undefined if another attempt must count again. */
type ActualCount = { users: number | undefined; adjustments: AdjustmentsById };

/**
 * Counts the block's users. Looks up each of them, because the directory may still list deleted users. Undefined
 * shortly after a user has returned, because the directory may lack this user.
 */
async function countInDirectory(block: Block): Promise<ActualCount> {
  const startedAt = environment.now();
  const found = await selectExisting(await queryUserIds(block));
  const adjustments = await readVisible();
  const recent = adjustments.selectInRange(block).filter(({ time }) => time > startedAt - 2 * SETTLING_MS);
  if (recent.some(({ delta }) => delta > 0)) return { users: undefined, adjustments };
  const deleted = new Set(recent.filter(({ time }) => time > startedAt - SETTLING_MS).map(({ id }) => id));
  return { users: found.filter((id) => !deleted.has(id)).length, adjustments };
}

/** Includes damaged users: the directory lists them. Keeps only ids in memory, because an uneven block is large. */
async function selectExisting(ids: string[]): Promise<string[]> {
  const existing: string[] = [];
  for (const part of split(ids, sizes.batchGet)) {
    const items = await getItems(part.map(userKey), { ConsistentRead: true });
    existing.push(...items.map(({ pk }) => parseUserId(pk)));
  }
  return existing;
}

/** Sums the counts of the children. Undefined while children are not visible, or after the newest child has grown. */
async function countInChildren(block: Block): Promise<ActualCount> {
  const children = await readBlocks(block.level - 1, block, CONSISTENT);
  const contiguous = takeContiguous(children, block.startAfter);
  const adjustments = await readVisible();
  const isWhole = contiguous.at(-1)?.lastId === block.lastId;
  return { users: isWhole ? sumLive(contiguous, adjustments) : undefined, adjustments };
}

/** Reads the adjustments once they contain the deletes that the reads before have observed. */
async function readVisible(): Promise<AdjustmentsById> {
  await environment.pause(VISIBILITY_MS);
  return readUnfolded();
}
