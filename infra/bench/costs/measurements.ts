import { randomUUID } from 'node:crypto';
import { environment } from '../../../lib/environment.ts';
import { LiveReader } from '../../../lib/features/change-log/live-reader.ts';
import { acquireTableSlot } from '../../../lib/features/change-log/sse/stream-limit.ts';
import { userTopic } from '../../../lib/features/change-log/topics.ts';
import { indexPages } from '../../../lib/features/page-index/indexer.ts';
import { jobs } from '../../../lib/maintenance/jobs.ts';
import { runJobs } from '../../../lib/maintenance/run.ts';
import { ASSUMED_ROUND_TRIP_SECONDS } from '../../bill/prices.ts';
import { type Cost, measureCost } from '../measure.ts';
import { type Changes, withChanges } from './changes.ts';
import type { IndexRun } from './index-runs.ts';
import { countLogBytes } from './log-bytes.ts';
import { createTestData, graphqlOperations, type Operation, restOperations } from './operations.ts';

export type Units = { reads: number; writes: number };

/**
 * `request`: units of the operation itself. `onChange`: units of `on-change`, which its changes invoke. `roundTrips`:
 * longest chain of sequential DynamoDB requests.
 */
export type Measured = Omit<Operation, 'run'> & {
  request: Units;
  roundTrips: number;
  logBytes: number;
  onChange: Units;
};

export type Maintenance = Units & { seconds: number; logBytes: number };

export type Measurements = {
  users: number;
  operations: Measured[];
  /**
   * `bulk` indexes all `users` at once. `empty`: a table without users. `idle`: without new users. `traffic`: cost in
   * addition to `idle`.
   */
  index: { bulk: Maintenance; empty: Maintenance; idle: Maintenance; traffic: (Maintenance & { perSecond: number })[] };
  subscription: { open: Units; poll: Units };
};

const sumUnits = (...costs: Cost[]): Units => ({
  reads: costs.reduce((sum, { reads }) => sum + reads, 0),
  writes: costs.reduce((sum, { writes, indexWrites }) => sum + writes + indexWrites, 0),
});

const A_DAY_MS = 24 * 3_600_000;
const MINUTE_MS = 60_000;

const WARM_UP_RUNS = 3;

/**
 * Requires a table with this number of users, created some minutes ago, and nothing else. `runs` of `index-pages`:
 * first on an empty table, then with new users at several rates, last without new users.
 */
export async function measureCosts(users: number, runs: IndexRun[]): Promise<Measurements> {
  const bulk = await measureBulk();
  const measured = await withChanges((changes) => measureWithChanges(users, changes));
  const subscription = await measureSubscription();
  const [empty, ...later] = runs;
  const idle = later.pop();
  if (!empty || !idle) throw new Error('No run was measured');
  const traffic = later
    .map((run) => ({ perSecond: run.perSecond, ...subtract(run, idle) }))
    .toSorted((one, other) => one.perSecond - other.perSecond);
  const { seconds, logBytes } = idle;
  return {
    users,
    ...measured,
    subscription,
    index: {
      bulk,
      traffic,
      empty: { ...sumUnits(empty.cost), seconds: empty.seconds, logBytes: empty.logBytes },
      idle: { ...(await measureIdle()), seconds, logBytes },
    },
  };
}

function subtract(run: IndexRun, idle: IndexRun): Maintenance {
  const [one, other] = [sumUnits(run.cost), sumUnits(idle.cost)];
  return {
    reads: one.reads - other.reads,
    writes: one.writes - other.writes,
    seconds: run.seconds - idle.seconds,
    logBytes: run.logBytes - idle.logBytes,
  };
}

async function measureBulk(): Promise<Maintenance> {
  let pauses = 0;
  const { pause } = environment;
  environment.pause = async (milliseconds) => {
    pauses += milliseconds;
  };
  const cost = await measureCost(() => indexPages()).finally(() => Object.assign(environment, { pause }));
  return { ...sumUnits(cost), seconds: pauses / 1000 + cost.rounds * ASSUMED_ROUND_TRIP_SECONDS, logBytes: 0 };
}

/** `users`: number of users in the table. Requires that all of them are in the page index. */
export const measureWithChanges = async (users: number, changes: Changes) => ({
  operations: await measureOperations(users, changes),
});

async function measureOperations(users: number, changes: Changes): Promise<Measured[]> {
  const testData = await createTestData();
  await changes.consume(testData.changes);
  // Two minutes ahead, so `index-pages` indexes all users written until now.
  await atTime(
    () => Date.now() + 120_000,
    () => indexPages(),
  );
  const operations: Measured[] = [];
  for (const operation of [...restOperations(testData, users), ...graphqlOperations(testData)])
    operations.push(await measureOperation(operation, changes));
  return operations;
}

export async function measureOperation({ run, ...operation }: Operation, changes: Changes): Promise<Measured> {
  let logBytes = 0;
  const cost = await measureCost(async () => {
    logBytes = await countLogBytes(run);
  });
  const measured = { ...operation, request: sumUnits(cost), roundTrips: cost.rounds, logBytes };
  return { ...measured, onChange: sumUnits(...(await changes.consume(operation.changes))) };
}

async function atTime<Result>(time: () => number, run: () => Promise<Result>): Promise<Result> {
  const { now } = environment;
  environment.now = time;
  return run().finally(() => Object.assign(environment, { now }));
}

async function measureSubscription(): Promise<Measurements['subscription']> {
  const open = await measureCost(async () =>
    (await acquireTableSlot('ada', { total: 100, perCaller: 50 }, 90)).releaseSlot?.(),
  );
  const reader = new LiveReader();
  const stop = new AbortController();
  await reader.open(userTopic(randomUUID()), stop.signal);
  const poll = await measureCost(() => reader.poll());
  stop.abort();
  return { open: sumUnits(open), poll: sumUnits(poll) };
}

async function measureIdle(): Promise<Units> {
  let time = Date.now() + A_DAY_MS;
  const run = () => {
    time += MINUTE_MS; // Like the schedule. The page index then advances its checkpoint.
    return atTime(
      () => time,
      () => runJobs(jobs, () => true),
    );
  };
  // Verifies the new blocks first, at most 50 per run. The measured run then only does periodic work.
  for (let count = 0; count < WARM_UP_RUNS; count++) await run();
  return sumUnits(await measureCost(run));
}
