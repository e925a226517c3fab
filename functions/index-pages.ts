import type { Context } from 'aws-lambda';
import { environment } from '../lib/environment.ts';
import { repairIndex } from '../lib/features/page-index/verify.ts';
import { jobs } from '../lib/maintenance/jobs.ts';
import { runJobs } from '../lib/maintenance/run.ts';

/** A run lasts almost until the next one starts, so that there is no gap while there is traffic. */
export const MAX_RUN_MS = 56_000;
/** The last step of a repair needs them. */
const RESERVE_MS = 10_000;

/** Runs on a schedule. `{ "repair": true }` verifies and repairs all counts; when that returns `next`, continue `from` there. */
export const handler = async (event: { repair?: boolean; from?: string }, context: Context) => {
  const end = environment.now() + MAX_RUN_MS;
  const hasTime = () => context.getRemainingTimeInMillis() > RESERVE_MS;
  return event.repair ? repairIndex(hasTime, event.from) : runJobs(jobs, () => hasTime() && environment.now() < end);
};
