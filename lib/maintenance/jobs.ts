import { backfillJob } from '../features/backfill/backfill.ts';
import { erasureJob } from '../features/erasure/job.ts';
import { pageCountsJob, pageIndexJob } from '../features/page-index/jobs.ts';
import { heartbeatJob } from './heartbeat.ts';
import type { Job } from './run.ts';

/** `index-pages` runs these each minute. Their turns together are as long as a run. */
export const jobs: Job[] = [pageIndexJob, heartbeatJob, pageCountsJob, erasureJob, backfillJob];
