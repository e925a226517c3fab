import { retryOnConflict } from '../../dynamodb/retry.ts';
import { type TransactItem, transact } from '../../dynamodb/transactions.ts';
import { queryUserIds } from '../directory.ts';
import { findUser } from '../get.ts';
import { setUsers, unchanged } from './block-writes.ts';
import { type Block, readBlocks, sumCounts } from './blocks.ts';
import { type Checkpoint, countMend, readCheckpoint } from './checkpoint.ts';

/** A count that was wrong, and what it is now. */
export type Repair = { level: number; behind: string; was: number; is: number };

/** What a block holds in truth, and what has to stay true until that is written. */
type Truth = { users: number; checks: TransactItem[] };

/**
 * Sets a block's count right; empty where it is. The transaction stands only if neither the index has moved nor a count
 * changed that it rests on, so that deletes and indexing may go on beside it.
 */
export function mend(level: number, behind: string): Promise<Repair[]> {
  return retryOnConflict(async () => {
    const checkpoint = await readCheckpoint();
    const [block] = await readBlocks(level, { from: behind }, { limit: 1, consistent: true });
    if (block?.behind !== behind) return [];
    const end = await endOf(level, behind, checkpoint);
    const truth = await (level === 0 ? inDirectory(behind, end) : inParts(level - 1, block, end));
    if (!truth) return undefined;
    if (truth.users === block.users) return [];
    const { failures } = await transact({
      ...[countMend(checkpoint), setUsers(level, block, truth.users), ...truth.checks],
    });
    return failures ? undefined : [{ level, behind, was: block.users, is: truth.users }];
  });
}

/** The last id that a block counts. Of blocks just being written the checkpoint knows more than a query shows. */
export async function endOf(level: number, behind: string, { levels, reached }: Checkpoint): Promise<string> {
  const recent = levels[level]?.blocks ?? [];
  if (recent[0] !== undefined && behind >= recent[0]) return recent.find((start) => start > behind) ?? reached;
  const [, next] = await readBlocks(level, { from: behind }, { limit: 2, consistent: true });
  return next?.behind ?? reached;
}

/** The directory may still show who is deleted, so each is looked up. */
async function inDirectory(behind: string, end: string): Promise<Truth> {
  const users = await Promise.all((await queryUserIds(behind, end)).map(findUser));
  return { users: users.filter((user) => user !== undefined).length, checks: [] };
}

/** Undefined while some of the parts are still being written. */
async function inParts(level: number, { behind: from, parts: all }: Block, before: string): Promise<Truth | undefined> {
  const parts = await readBlocks(level, { from, before }, { consistent: true });
  if (parts.length < all) return undefined;
  return { users: sumCounts(parts), checks: parts.map((part) => unchanged(level, part)) };
}
