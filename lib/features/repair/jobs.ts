import type { Job } from '../../maintenance/run.ts';
import { backfill } from './backfill.ts';
import { type Repairs, verifyChangedUsers, verifyNextUsers } from './verify-users.ts';

export const changedUsersJob: Job = {
  name: 'changedUsers',
  turnMs: 8_000,
  async *run({ now, pause }) {
    let repairs: Repairs | undefined;
    try {
      for await (repairs of verifyChangedUsers(now(), pause)) yield repairs;
    } finally {
      logRepairs(repairs);
    }
  },
};

/** A backfill goes through all users itself; without one they are verified in turn. */
export const allUsersJob: Job = {
  name: 'allUsers',
  turnMs: 7_000,
  async *run({ now, pause }) {
    let isBackfilling = false;
    for await (const backfilled of backfill()) {
      isBackfilling = true;
      yield { backfill: backfilled };
    }
    if (isBackfilling) return;
    const repairs = await verifyNextUsers(now(), pause);
    logRepairs(repairs);
    yield repairs;
  },
};

function logRepairs({ entries, claims }: Partial<Repairs> = {}): void {
  if (entries) console.warn({ event: 'search entries repaired', repairs: entries });
  if (claims) console.warn({ event: 'claims repaired', repairs: claims });
}
