import { createHash } from 'node:crypto';
import { runIndexer } from './actors/indexer.ts';
import { StreamConsumer } from './actors/stream-consumer.ts';
import { Subscriber } from './actors/subscriber.ts';
import { checkHistory } from './checks/history.ts';
import { checkSubscription } from './checks/subscriptions.ts';
import { Database, type Executed } from './database/database.ts';
import type { Change } from './database/store.ts';
import { Clock } from './environment/clock.ts';
import { EPOCH } from './environment/globals.ts';
import { invoke } from './environment/invocation.ts';
import type { Handlers } from './handlers.ts';
import { chooseFaults, NO_FAULTS } from './network/faults.ts';
import { Network } from './network/network.ts';
import { Clients } from './workload/clients.ts';
import { createPlan, type Plan } from './workload/plan.ts';
import type { World } from './world.ts';

export type Service = { handlers: Handlers; requestTimeout: number; reset(): void };
export type Result = {
  problems: string[];
  faults: Map<string, string>;
  operations: number;
  executed: Executed[];
  hash: string;
  trace: string[];
};

const MINUTE = 60_000;
/** Long enough for what is under way, and for what is eventually consistent. */
const SETTLES_MS = 5_000;
const POLLS_WITHIN_MS = 4_000;

/** Runs one history: the same seed, and the same that is left out, gives the same history. */
export async function simulate(service: Service, seed: string, without = new Set<string>()): Promise<Result> {
  const trace: string[] = [];
  const faults = new Map<string, string>();
  const clock = new Clock(EPOCH);
  const world: World = {
    seed,
    clock,
    database: new Database(),
    // The two refer to each other.
    network: undefined as unknown as Network,
    faults: NO_FAULTS,
    without,
    requestTimeout: service.requestTimeout,
    report: (id, fault) => faults.set(id, fault),
    trace: (line) => trace.push(`${((clock.now - EPOCH) / 1000).toFixed(3).padStart(8)} ${line}`),
  };
  world.network = new Network(world);
  service.reset();
  const clients = new Clients(world, service.handlers);
  const problems = await clock.runUntil(runHistory(world, service.handlers, clients)).catch((error) => [String(error)]);
  const hash = createHash('sha256').update(trace.join('\n')).digest('hex');
  return { problems, faults, operations: clients.operations.length, executed: world.database.executed, hash, trace };
}

async function runHistory(world: World, handlers: Handlers, clients: Clients): Promise<string[]> {
  const { clock, database, seed } = world;
  const plan = createPlan(seed);
  const consumer = new StreamConsumer(world, handlers);
  const consumed = consumer.run();
  const problems = await createUsers(world, handlers, plan, clients);
  const checkSubscriber = startSubscriber(world, handlers, plan, clients);
  world.faults = chooseFaults(seed);
  await Promise.all([
    ...plan.clients.map((steps) => clients.run(steps)),
    ...plan.indexRuns.map(async (delay, at) => {
      await clock.sleep(delay);
      problems.push(...(await runIndexer(world, handlers, `index${at + 1}`)));
    }),
  ]);
  world.faults = NO_FAULTS;
  await clock.sleep(SETTLES_MS);
  consumer.close();
  await consumed;
  problems.push(...(await checkSubscriber()), ...(plan.isIndexed ? await settleIndex(world, handlers) : []));
  await clients.readAll(plan.isIndexed ? 3 : 1);
  return [...checkHistory(database.store, clients), ...problems];
}

/** Runs the indexer until it has seen all, and checks its blocks. */
async function settleIndex(world: World, handlers: Handlers): Promise<string[]> {
  const problems: string[] = [];
  for (let run = 1; run <= 2; run++) {
    await world.clock.sleep(5 * MINUTE);
    problems.push(...(await runIndexer(world, handlers, `index-after${run}`)));
  }
  const { ending } = await invoke(world, 'invariant', MINUTE, handlers.findIndexViolations);
  return 'result' in ending
    ? [...problems, ...ending.result]
    : [...problems, `the page index cannot be read: ${JSON.stringify(ending)}`];
}

/** The users and posts that are there before the clients begin. In histories of page numbers they are indexed. */
async function createUsers(
  world: World,
  handlers: Handlers,
  { users, posts, isIndexed }: Plan,
  clients: Clients,
): Promise<string[]> {
  for (const [at, user] of users.entries())
    if (!world.without.has(`user${at}`)) await clients.perform(`user${at}`, 'bare', { kind: 'create', ...user });
  const [author] = clients.users;
  for (let at = 0; author && at < posts; at++)
    if (!world.without.has(`post${at}`))
      await clients.perform(`post${at}`, 'graphql', { kind: 'createPost', authorId: author.id, title: `post ${at}` });
  if (!isIndexed) return [];
  await world.clock.sleep(5 * MINUTE);
  return runIndexer(world, handlers, 'index-before');
}

/** Of posts it follows those of the first user. What it returns ends it and checks what it got. */
function startSubscriber(world: World, handlers: Handlers, { follows }: Plan, clients: Clients) {
  const { clock, database, without } = world;
  const [author] = clients.users;
  if (!follows || without.has('subscriber') || (follows === 'posts' && !author)) return async () => [];
  const start = database.store.commits;
  const subscriber = new Subscriber(world, handlers);
  const ended = subscriber.run(follows, follows === 'posts' && author ? { authorId: author.id } : {});
  const isFollowed = ({ pk, sk }: Change) =>
    follows === 'users'
      ? pk.startsWith('USER#') && sk === 'USER'
      : sk.startsWith('POST#') && pk === `USER#${author?.id}`;
  return async () => {
    // It reads once a second.
    await clock.sleep(POLLS_WITHIN_MS);
    subscriber.close();
    await ended;
    return checkSubscription(database.store.changes.filter(isFollowed), start, subscriber.seen);
  };
}
