import type { Context } from 'aws-lambda';
import { environment } from '../lib/environment.ts';
import { repairIndex } from '../lib/features/page-index/verify.ts';
import { jobs } from '../lib/maintenance/jobs.ts';
import { runJobs } from '../lib/maintenance/run.ts';

/** A run ends just before the next scheduled run starts, so that the index is updated without gaps. */
export const MAX_RUN_MS = 56_000;
/** Remaining Lambda time at which a run stops: enough for the last step of a repair. */
const RESERVE_MS = 10_000;

/**
 * Runs on a schedule. `{ "repair": true }` verifies and repairs all counts. If it returns `next`, invoke the function
 * again with this value as `from`.
 */
export const handler = async (event: { repair?: boolean; from?: string }, context: Context) => {
  const end = environment.now() + MAX_RUN_MS;
  const hasTime = () => context.getRemainingTimeInMillis() > RESERVE_MS;
  return event.repair ? repairIndex(hasTime, event.from) : runJobs(jobs, () => hasTime() && environment.now() < end);
};
