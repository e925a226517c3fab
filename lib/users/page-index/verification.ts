import { minUuidAt } from '../../uuidv7.ts';
import { findBlock, findNextBlock, readBlocks } from './block-store.ts';
import { type Block, MIN_KEY, TOP_LEVEL } from './blocks.ts';
import { readCheckpoint, saveVerified } from './checkpoint.ts';
import { type Pause, type Repair, repairAll } from './repair.ts';
import { VERIFY_AFTER_MS } from './timing.ts';
import { verifyBlock, verifyTop } from './verify.ts';

/** So many blocks of level 1 in a run keep up with a thousand creates a second. */
const MAX_RECENT = 50;

/** Verifies users once the GSI shows them whatever happened: some minutes after they were created. */
export async function verifyRecent(now: number, more: () => boolean, pause?: Pause): Promise<Repair[]> {
  const { indexedUpTo, verifiedUpTo } = await readCheckpoint();
  const oldEnough = minUuidAt(now - VERIFY_AFTER_MS);
  const lastId = indexedUpTo < oldEnough ? indexedUpTo : oldEnough;
  if (lastId <= verifiedUpTo) return [];
  const first = await findBlock(1, verifiedUpTo);
  const blocks = await readBlocks(1, { startAfter: first?.startAfter ?? MIN_KEY, lastId }, { ConsistentRead: true });
  const repairs: Repair[] = [];
  for (const block of blocks.slice(0, MAX_RECENT)) {
    if (!more()) break;
    repairs.push(...(await verifyAndRepair(block, pause)));
    await saveVerified({ verifiedUpTo: block.lastId < lastId ? block.lastId : lastId });
  }
  return repairs;
}

/** Before the first block: DynamoDB rejects an empty string as the value of a key attribute. */
const BEFORE_ALL = ' ';

/** Verifies the block that is next in turn, so that no wrong count lasts, whatever caused it. */
export async function verifyNext(pause?: Pause): Promise<Repair[]> {
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
