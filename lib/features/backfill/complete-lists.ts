import { incomplete } from '../../errors.ts';
import { parseListName } from '../filters/keys.ts';
import { isComplete, readBackfill } from './record.ts';

/**
 * True if a list's partition has entries of all users. Call this after querying the list: another release saves its
 * backfill before it deletes entries, so this check then returns false.
 */
export async function isListComplete(pk: string): Promise<boolean> {
  const backfill = await readBackfill();
  // The first backfill of a table starts within a minute. Until then, only this release has written users.
  return backfill === undefined || isComplete(backfill, parseListName(pk));
}

/** Throws SERVICE_UNAVAILABLE unless the list is complete. Call this after the query, like `isListComplete`. */
export async function requireCompleteList(pk: string): Promise<void> {
  if (await isListComplete(pk)) return;
  const name = parseListName(pk);
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
