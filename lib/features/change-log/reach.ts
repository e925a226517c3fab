import { environment } from '../../environment.ts';
import { invalidInput } from '../../errors.ts';
import { queryUsers } from '../../users/directory.ts';
import { type Epoch, readEpochItems } from './epochs.ts';
import { MIN_REACH_SECONDS } from './order-log.ts';
import { EPOCH } from './topics.ts';

/** Maximum time until the epoch of a new table is stored, and until `on-change` logs a first change. */
const MAX_FIRST_DELAY_MS = 60_000;

/** A request may still start at a time that an error named this long ago. Entries outlive the reach by an hour. */
const GRACE_MS = 10 * 60_000;

/** Throws BAD_USER_INPUT while the log is off. */
async function readEpoch(parameter: string): Promise<{ own: Epoch | undefined; isRestored: boolean }> {
  if (!environment.keepsChangeLog)
    throw invalidInput([parameter], 'needs the change log, which is turned off in this service');
  const epochs = await readEpochItems();
  return {
    own: epochs.find(({ epoch }) => epoch === EPOCH),
    isRestored: epochs.some(({ epoch }) => epoch !== EPOCH),
  };
}

/** Returns the time from which the log kept all its changes at `now`. Both in ms. */
function findKeptFrom(own: Epoch | undefined, now: number): number {
  const guaranteedFrom = now - MIN_REACH_SECONDS * 1000;
  if (!own) return guaranteedFrom;
  // Entries from before an increase of `historyDays` expire early.
  const keptSince = own.keptSince ? Date.parse(own.keptSince) : 0;
  return Math.max(own.gapUntil, Math.min(guaranteedFrom, Math.max(keptSince, now - own.keptSeconds * 1000)));
}

export const readKeptFrom = async (parameter: string): Promise<number> =>
  findKeptFrom((await readEpoch(parameter)).own, environment.now());

/**
 * Throws BAD_USER_INPUT if the log may lack changes since `time` (in ms). The error names the earliest time that
 * passes.
 */
export async function requireLogged(time: number, parameter: string): Promise<void> {
  const { own, isRestored } = await readEpoch(parameter);
  const now = environment.now();
  const isKept = time >= findKeptFrom(own, now - GRACE_MS);
  // A log without an epoch starts with its next change or maintenance job.
  const logStart = own ? Date.parse(own.since) : now;
  if (isKept && time >= logStart) return;
  const startedAt = !isRestored && (await hasEveryChange(logStart)) ? 0 : logStart;
  if (isKept && time >= startedAt) return;
  const earliest = new Date(Math.max(findKeptFrom(own, now), startedAt)).toISOString();
  throw invalidInput(
    [parameter],
    `is too early: the change log reaches back to ${earliest}; read all users, then the changes since a minute before`,
  );
}

/** True if the first user is not older than the log, and readable. */
async function hasEveryChange(logStart: number): Promise<boolean> {
  const { ids, users } = await queryUsers(undefined, 1);
  const isReadable = users.length === ids.length;
  return isReadable && users.every(({ createdAt }) => Date.parse(createdAt) >= logStart - MAX_FIRST_DELAY_MS);
}
