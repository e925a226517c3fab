import { incomplete } from '../../errors.ts';
import { parseListName } from '../filters/keys.ts';
import { type Backfill, isComplete, readBackfill } from './record.ts';

/**
 * True if a list's partition has entries of all users. Call this after querying the list: another release saves its
 * backfill before it deletes entries, so this check then returns false.
 */
export const isListComplete = async (pk: string): Promise<boolean> => isCompleteIn(await readBackfill(), pk);

// The first backfill of a table starts within a minute. Until then, only this release has written users.
const isCompleteIn = (backfill: Backfill | undefined, pk: string): boolean =>
  backfill === undefined || isComplete(backfill, parseListName(pk));

/** Throws SERVICE_UNAVAILABLE unless the lists are complete. Call this after the queries, like `isListComplete`. */
export async function requireCompleteLists(partitions: readonly string[]): Promise<void> {
  if (partitions.length === 0) return;
  const backfill = await readBackfill();
  const name = partitions.filter((pk) => !isCompleteIn(backfill, pk)).map(parseListName)[0];
  if (name === undefined) return;
  throw incomplete(name.endsWith('=') ? `The list filtered by ${name.slice(0, -1)}` : `The list sorted by ${name}`);
}

/**
 * Throws SERVICE_UNAVAILABLE while claims may be missing: another user could take an unclaimed value. `name` comes from
 * `nameClaims`.
 */
export async function requireCompleteClaims(name: string): Promise<void> {
  const backfill = await readBackfill();
  if (backfill && !backfill.completeClaims.includes(name)) throw incomplete('The index of unique values');
}
