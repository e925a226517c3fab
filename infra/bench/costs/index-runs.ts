import { v7 as uuidv7 } from 'uuid';
import { MAX_RUN_MS } from '../../../functions/index-pages.ts';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { DIRECTORY, type Item, userKey } from '../../../lib/dynamodb/keys.ts';
import { environment } from '../../../lib/environment.ts';
import type { Change } from '../../../lib/features/change-log/append.ts';
import { appendChanges } from '../../../lib/features/change-log/append.ts';
import { readLogEnd } from '../../../lib/features/change-log/order-log.ts';
import { jobs } from '../../../lib/maintenance/jobs.ts';
import { runJobs } from '../../../lib/maintenance/run.ts';
import { split } from '../../../lib/parallel.ts';
import type { User } from '../../../lib/users/user.ts';
import { listCreationItems } from '../../../lib/users/write.ts';
import { ASSUMED_ROUND_TRIP_SECONDS } from '../../bill/prices.ts';
import { type Cost, measureCost } from '../measure.ts';
import { countLogBytes } from './log-bytes.ts';

/** A run of `index-pages` while `perSecond` users are created per second. `seconds`: estimated duration on Lambda. */
export type IndexRun = { perSecond: number; cost: Cost; seconds: number; logBytes: number };

const MINUTE_MS = 60_000;

/** After these runs, the users of the first minutes are old enough for `index-pages` to verify their counts. */
const WARM_UP_RUNS = 5;

/**
 * The results do not depend on this machine: the simulated clock advances only by pauses, and each round trip counts as
 * ASSUMED_ROUND_TRIP_SECONDS. Requires a table without users.
 */
export async function measureIndexRuns(rates: number[]): Promise<IndexRun[]> {
  const { now } = Date;
  let time = now();
  Date.now = () => time;
  const { pause } = environment;
  environment.pause = async (milliseconds) => {
    time += milliseconds;
  };
  process.env.METRICS_NAMESPACE = 'UserManagement/UserManagement';
  const measureRun = async (perSecond: number): Promise<IndexRun> => {
    const start = time;
    // Creates the users of the whole minute at once. The run indexes each of them some simulated seconds after its
    // creation time.
    await createUsers(start, perSecond);
    const run = () => runJobs(jobs, () => time < start + MAX_RUN_MS);
    let logBytes = 0;
    const cost = await measureCost(async () => {
      logBytes = await countLogBytes(run);
    });
    const seconds = (time - start) / 1000 + cost.rounds * ASSUMED_ROUND_TRIP_SECONDS;
    time = start + MINUTE_MS;
    return { perSecond, cost, seconds, logBytes };
  };
  try {
    const runs: IndexRun[] = [];
    for (const perSecond of rates) {
      for (let count = 0; count < WARM_UP_RUNS; count++) await measureRun(perSecond);
      runs.push(await measureRun(perSecond));
    }
    return runs;
  } finally {
    Date.now = now;
    environment.pause = pause;
    delete process.env.METRICS_NAMESPACE;
  }
}

async function createUsers(start: number, perSecond: number): Promise<void> {
  const times = Array.from({ length: 60 * perSecond }, (_, number) => Math.floor(start + (1000 * number) / perSecond));
  const users = times.map(createUser);
  await putItems(users.flatMap(({ user }) => listCreationItems(user)).flatMap(({ Put }) => Put?.Item ?? []));
  const end = await readLogEnd();
  for (const batch of split(users.map(createChange), Math.max(1, perSecond))) {
    const failures = await appendChanges(batch, end);
    if (failures.size > 0) throw new Error(`${failures.size} changes were not appended`);
  }
}

type Created = { user: User; item: Item; milliseconds: number };

function createUser(milliseconds: number): Created {
  const at = new Date(milliseconds).toISOString();
  const id = uuidv7({ msecs: milliseconds });
  const attributes = { name: 'Grace Hopper', email: `${id}@example.com`, createdAt: at, updatedAt: at, version: 1 };
  return {
    user: { id, own: {}, ...attributes },
    item: { ...userKey(id), directory: DIRECTORY, ...attributes },
    milliseconds,
  };
}

const createChange = ({ user: { id, createdAt, version }, item, milliseconds }: Created, number: number): Change => ({
  ...{ kind: 'CREATED', id, at: createdAt, streamedAt: milliseconds, by: 'bench', version, item },
  sequence: String(milliseconds * 10_000 + number).padStart(21, '0'),
});
