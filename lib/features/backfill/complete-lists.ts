import { unavailable } from '../../errors.ts';
import { parseListName } from '../filters/keys.ts';
import { isComplete, readBackfill } from './record.ts';

/**
 * True if the partition of a list has the entries of all users. Call this after the partition was queried, for example
 * while the users are loaded: a release that deletes entries saves its backfill first.
 */
export async function isListComplete(pk: string): Promise<boolean> {
  const backfill = await readBackfill();
  // The first backfill of a table starts within a minute. Until then, all users are written by this release.
  return backfill === undefined || isComplete(backfill, parseListName(pk));
}

/** Throws SERVICE_UNAVAILABLE instead of a list that may lack users. See `isListComplete`. */
export async function requireCompleteList(pk: string): Promise<void> {
  if (!(await isListComplete(pk))) throw unavailable();
}

/**
 * Throws SERVICE_UNAVAILABLE while users may lack the claims of a unique field: a claim that is missing does not keep its value
 * from other users. `name` is what `nameClaims` returns.
 */
export async function requireCompleteClaims(name: string): Promise<void> {
  const backfill = await readBackfill();
  if (backfill && !backfill.completeClaims.includes(name)) throw unavailable();
}
