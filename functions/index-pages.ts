import type { Context } from 'aws-lambda';
import { environment } from '../lib/environment.ts';
import { isUnavailable } from '../lib/errors.ts';
import { logUnavailable } from '../lib/log.ts';
import { repairIndex, runMaintenance } from '../lib/maintenance.ts';

/** A run lasts almost until the next one starts, so that there is no gap while there is traffic. */
export const MAX_RUN_MS = 56_000;
/** The last step of a repair needs them. */
const RESERVE_MS = 10_000;

/** Runs on a schedule. `{ "repair": true }` verifies and repairs all counts; when that returns `next`, continue `from` there. */
export const handler = async (event: { repair?: boolean; from?: string }, context: Context) => {
  const end = environment.now() + MAX_RUN_MS;
  const hasTime = () => context.getRemainingTimeInMillis() > RESERVE_MS;
  try {
    return await (event.repair
      ? repairIndex(hasTime, event.from)
      : runMaintenance(() => hasTime() && environment.now() < end));
  } catch (error) {
    // A busy database is no fault: the next run continues.
    if (!isUnavailable(error) || event.repair) throw error;
    logUnavailable({ function: 'index-pages' });
    return undefined;
  }
};
