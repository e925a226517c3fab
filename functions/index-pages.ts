import type { Context } from 'aws-lambda';
import { runIndexJob, repairIndex } from '../lib/users/page-index/job.ts';

/** Less than from one run to the next, in milliseconds, and what the last step may take. */
const [MOST, RESERVE] = [50_000, 5_000];

/** Runs on a schedule. `{ "repair": true }` recounts all instead; where that ends with a `next`, go on `from` there. */
export const handler = (event: { repair?: boolean; from?: string }, context: Context) => {
  const left = () => context.getRemainingTimeInMillis() > RESERVE;
  const end = Date.now() + MOST;
  return event.repair ? repairIndex(left, event.from) : runIndexJob(() => left() && Date.now() < end);
};
