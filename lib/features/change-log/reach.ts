import { environment } from '../../environment.ts';
import { invalidInput } from '../../errors.ts';
import { queryUsers } from '../../users/directory.ts';
import { type Epoch, readEpochItems } from './epochs.ts';
import { MIN_REACH_SECONDS } from './order-log.ts';
import { EPOCH } from './topics.ts';

/** How far back the order log reaches: times in ms. */
export type Reach = {
  /** All entries from then on are kept. */
  keptFrom: number;
  /** The log has begun then. */
  begun: number;
  isRestored: boolean;
};

/** on-change logs the first change of a table within this time. */
const MAX_FIRST_DELAY_MS = 60_000;

/** Throws BAD_USER_INPUT if no change log is kept. */
export async function readReach(parameter: string): Promise<Reach> {
  if (!environment.keepsChangeLog)
    throw invalidInput([parameter], 'needs the change log, which is turned off in this service');
  const epochs = await readEpochItems();
  const own = epochs.find(({ epoch }) => epoch === EPOCH);
  return {
    keptFrom: findKeptFrom(own),
    // A log without an entry will have all changes from now on.
    begun: own ? Date.parse(own.since) : environment.now() - MAX_FIRST_DELAY_MS,
    isRestored: epochs.some(({ epoch }) => epoch !== EPOCH),
  };
}

/** After `historyDays` was raised, the log fills up from then on. */
function findKeptFrom(own: Epoch | undefined): number {
  const now = environment.now();
  const always = now - MIN_REACH_SECONDS * 1000;
  if (!own) return always;
  const keptSince = own.keptSince ? Date.parse(own.keptSince) : 0;
  return Math.min(always, Math.max(keptSince, now - own.keptSeconds * 1000));
}

/** Throws BAD_USER_INPUT if changes after this time, in ms, may have expired. */
export function requireKept({ keptFrom }: Reach, time: number, parameter: string): void {
  if (time < keptFrom) throw tooEarly(parameter, keptFrom);
}

/** Throws BAD_USER_INPUT if users may have changed after this time, in ms, before the log began. */
export async function requireBegun({ begun, isRestored }: Reach, time: number, parameter: string): Promise<void> {
  if (time >= begun) return;
  const { users } = await queryUsers(undefined, 1);
  const isAsOldAsTable = users.every(({ createdAt }) => Date.parse(createdAt) >= begun - MAX_FIRST_DELAY_MS);
  if (isRestored || !isAsOldAsTable) throw tooEarly(parameter, begun);
}

const tooEarly = (parameter: string, from: number) =>
  invalidInput(
    [parameter],
    `is too early: the change log reaches back to ${new Date(from).toISOString()}; read all users, then the changes since you began`,
  );
