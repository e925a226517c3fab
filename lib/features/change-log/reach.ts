import { environment } from '../../environment.ts';
import { invalidInput } from '../../errors.ts';
import { queryUsers } from '../../users/directory.ts';
import { type Epoch, readEpochItems } from './epochs.ts';
import { MIN_REACH_SECONDS } from './order-log.ts';
import { EPOCH } from './topics.ts';

/** Times in ms. */
export type Reach = {
  /** Earlier changes may have expired, or may be missing because the log was off. */
  keptFrom: number;
  /** The log of this table began at this time. */
  startedAt: number;
  /** The table was restored. Changes of the former table are in its own log. */
  isRestored: boolean;
};

/** Maximum time until `on-change` logs the first change of a table. */
const MAX_FIRST_DELAY_MS = 60_000;

export async function readReach(parameter: string): Promise<Reach> {
  if (!environment.keepsChangeLog)
    throw invalidInput([parameter], 'needs the change log, which is turned off in this service');
  const epochs = await readEpochItems();
  const own = epochs.find(({ epoch }) => epoch === EPOCH);
  return {
    keptFrom: findKeptFrom(own),
    // A missing epoch means that nothing is logged yet: the log will contain all changes from now on.
    startedAt: own ? Date.parse(own.since) : environment.now() - MAX_FIRST_DELAY_MS,
    isRestored: epochs.some(({ epoch }) => epoch !== EPOCH),
  };
}

/** Entries from before an increase of `historyDays` expire early. */
function findKeptFrom(own: Epoch | undefined): number {
  const now = environment.now();
  const guaranteedFrom = now - MIN_REACH_SECONDS * 1000;
  if (!own) return guaranteedFrom;
  const keptSince = own.keptSince ? Date.parse(own.keptSince) : 0;
  return Math.max(own.gapUntil, Math.min(guaranteedFrom, Math.max(keptSince, now - own.keptSeconds * 1000)));
}

export function requireKept({ keptFrom }: Reach, time: number, parameter: string): void {
  if (time < keptFrom) throw tooEarly(parameter, keptFrom);
}

/** Throws BAD_USER_INPUT if `time` is before the log started, and users may have changed unlogged in between. */
export async function requireLogged({ startedAt, isRestored }: Reach, time: number, parameter: string): Promise<void> {
  if (time >= startedAt) return;
  const { ids, users } = await queryUsers(undefined, 1);
  const isReadable = users.length === ids.length;
  const isAsOldAsTable =
    isReadable && users.every(({ createdAt }) => Date.parse(createdAt) >= startedAt - MAX_FIRST_DELAY_MS);
  if (isRestored || !isAsOldAsTable) throw tooEarly(parameter, startedAt);
}

const tooEarly = (parameter: string, from: number) =>
  invalidInput(
    [parameter],
    `is too early: the change log reaches back to ${new Date(from).toISOString()}; read all users, then the changes since a minute before`,
  );
