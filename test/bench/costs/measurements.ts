import { randomUUID } from 'node:crypto';
import { createCursor } from '../../../lib/change-log/cursor.ts';
import { readChanges } from '../../../lib/change-log/read.ts';
import { userTopic } from '../../../lib/change-log/topics.ts';
import { acquireSlot } from '../../../lib/graphql/sse/stream-limit.ts';
import { createUser } from '../../../lib/users/create.ts';
import { indexPages } from '../../../lib/users/page-index/indexer.ts';
import { runIndexJob } from '../../../lib/users/page-index/job.ts';
import { type Cost, costOf } from '../measure.ts';
import { type Changes, followChanges } from './changes.ts';
import { createCast, graphqlOperations, type Operation, restOperations } from './operations.ts';

/** Units of DynamoDB: of reads, and of writes with those to the index. */
export type Units = { reads: number; writes: number };

/** What a request takes, and what `on-change` takes for the changes it makes. */
export type Measured = Omit<Operation, 'run'> & { own: Units; after: Units };

export type Measurements = {
  users: number;
  operations: Measured[];
  /** Of `index-pages`: all `users` at once, 60 that came within a minute, and a run that finds none. */
  index: { bulk: Units; minute: Units; idle: Units };
  /** A subscription: what it takes to open and close, and each poll that finds no change. */
  subscription: { open: Units; poll: Units };
};

const unitsOf = (...costs: Cost[]): Units => ({
  reads: costs.reduce((sum, { reads }) => sum + reads, 0),
  writes: costs.reduce((sum, { writes, indexWrites }) => sum + writes + indexWrites, 0),
});

/** By then, all that is there now is due. */
const later = () => ({ now: () => Date.now() + 120_000 });

/** Measures a table that holds `users`, all old enough to be indexed, and nothing else. */
export async function measureCosts(users: number): Promise<Measurements> {
  const bulk = unitsOf(await costOf(() => indexPages()));
  const changes = await followChanges();
  try {
    const testData = await createCast();
    await changes.consume(testData.changes);
    await indexPages(later());
    const operations: Measured[] = [];
    for (const operation of [...restOperations(testData, users), ...graphqlOperations(testData)])
      operations.push(await measure(operation, changes));
    const subscription = await measureSubscription();
    return { users, operations, subscription, index: { bulk, ...(await measureIndex()) } };
  } finally {
    await changes.stop();
  }
}

async function measure({ run, ...operation }: Operation, changes: Changes): Promise<Measured> {
  const own = unitsOf(await costOf(run));
  return { ...operation, own, after: unitsOf(...(await changes.consume(operation.changes))) };
}

/** A poll that finds no change, as most do. */
async function measureSubscription(): Promise<Measurements['subscription']> {
  const open = await costOf(async () => (await acquireSlot(100, 90))?.());
  const topic = userTopic(randomUUID());
  const poll = await costOf(() => readChanges(topic, createCursor(topic, Date.now())).next());
  return { open: unitsOf(open), poll: unitsOf(poll) };
}

async function measureIndex(): Promise<Omit<Measurements['index'], 'bulk'>> {
  await indexPages(later());
  const idle = unitsOf(await costOf(() => runIndexJob(() => true)));
  for (let second = 0; second < 60; second++)
    await createUser({ name: 'Grace Hopper', email: `grace.${second}@example.com` });
  const minute = unitsOf(await costOf(() => indexPages(later())));
  return { idle, minute };
}
