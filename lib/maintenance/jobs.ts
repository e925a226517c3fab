import { backfillJob } from '../features/backfill/backfill.ts';
import { epochJob } from '../features/change-log/epochs.ts';
import { erasureJob } from '../features/erasure/job.ts';
import { groupDeletionsJob } from '../features/groups/job.ts';
import { pageCountsJob, pageIndexJob } from '../features/page-index/jobs.ts';
import { membershipField } from '../users/fields/values.ts';
import { heartbeatJob } from './heartbeat.ts';
import type { Job } from './run.ts';

/** All jobs. Their turns add up to one run of `index-pages`. */
export const jobs: Job[] = [
  pageIndexJob,
  heartbeatJob,
  epochJob,
  pageCountsJob,
  erasureJob,
  ...(membershipField ? [groupDeletionsJob] : []),
  backfillJob,
];
