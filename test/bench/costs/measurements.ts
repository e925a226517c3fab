import { randomUUID } from 'node:crypto';
import { createCursor } from '../../../lib/change-log/cursor.ts';
import { readChanges } from '../../../lib/change-log/read.ts';
import { userTopic } from '../../../lib/change-log/topics.ts';
import { acquireSlot } from '../../../lib/graphql/sse/stream-limit.ts';
import { runMaintenance } from '../../../lib/maintenance.ts';
import { createUser } from '../../../lib/users/create.ts';
import { indexPages } from '../../../lib/users/page-index/indexer.ts';
import { type Cost, measureCost } from '../measure.ts';
import { type Changes, followChanges } from './changes.ts';
import { createTestData, graphqlOperations, type Operation, restOperations } from './operations.ts';

/** Request units. Writes include those to the index. */
export type Units = { reads: number; writes: number };

/** The cost of a request, and that of `on-change` for the changes that it makes. `roundTrips` wait for one another. */
export type Measured = Omit<Operation, 'run'> & { request: Units; roundTrips: number; onChange: Units };

export type Measurements = {
  users: number;
  operations: Measured[];
  /** `index-pages` with all `users` at once, with 60 new users, and with none. */
  index: { bulk: Units; minute: Units; idle: Units };
  /** Opening and closing a subscription, and one poll that finds no change. */
  subscription: { open: Units; poll: Units };
};

const sumUnits = (...costs: Cost[]): Units => ({
  reads: costs.reduce((sum, { reads }) => sum + reads, 0),
  writes: costs.reduce((sum, { writes, indexWrites }) => sum + writes + indexWrites, 0),
});

/** A time at which everything written until now is old enough to be indexed. */
const later = () => ({ now: () => Date.now() + 120_000 });

const A_DAY_MS = 24 * 3_600_000;

/** Expects a table with `users` only, all old enough to be indexed. */
export async function measureCosts(users: number): Promise<Measurements> {
  const bulk = sumUnits(await measureCost(() => indexPages()));
  const operations = await measureOperations(users);
  const subscription = await measureSubscription();
  return { users, operations, subscription, index: { bulk, ...(await measureIndex()) } };
}

/** Expects a table with `users` only, all in the page index. */
export async function measureOperations(users: number): Promise<Measured[]> {
  const changes = await followChanges();
  try {
    const testData = await createTestData();
    await changes.consume(testData.changes);
    await indexPages(later());
    const operations: Measured[] = [];
    for (const operation of [...restOperations(testData, users), ...graphqlOperations(testData)])
      operations.push(await measure(operation, changes));
    return operations;
  } finally {
    await changes.stop();
  }
}

async function measure({ run, ...operation }: Operation, changes: Changes): Promise<Measured> {
  const cost = await measureCost(run);
  const measured = { ...operation, request: sumUnits(cost), roundTrips: cost.rounds };
  return { ...measured, onChange: sumUnits(...(await changes.consume(operation.changes))) };
}

async function measureSubscription(): Promise<Measurements['subscription']> {
  const open = await measureCost(async () =>
    (await acquireSlot('ada', { total: 100, perCaller: 50 }, 90)).releaseSlot?.(),
  );
  const topic = userTopic(randomUUID());
  const poll = await measureCost(() => readChanges(topic, createCursor(topic, Date.now())).next());
  return { open: sumUnits(open), poll: sumUnits(poll) };
}

async function measureIndex(): Promise<Omit<Measurements['index'], 'bulk'>> {
  // What has just been indexed is verified once: the first runs do that.
  const run = () => runMaintenance(() => true, { now: () => Date.now() + A_DAY_MS });
  for (let runs = 0; runs < 3; runs++) await run();
  const idle = sumUnits(await measureCost(run));
  for (let second = 0; second < 60; second++)
    await createUser({ name: 'Grace Hopper', email: `grace.${second}@example.com` });
  const minute = sumUnits(await measureCost(() => indexPages({ now: () => Date.now() + 2 * A_DAY_MS })));
  return { idle, minute };
}
