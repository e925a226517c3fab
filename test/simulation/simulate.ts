import { createHash } from 'node:crypto';
import { administrateGroup } from './actors/administrators.ts';
import { Clients } from './actors/clients.ts';
import { checkHistories } from './actors/historian.ts';
import { repairTable } from './actors/operator.ts';
import { changeConsumer, eventConsumer, StreamConsumer } from './actors/stream-consumer.ts';
import { checkSubscription, Subscriber } from './actors/subscriber.ts';
import { checkActors, checkTimes, createNamesActor } from './checks/actors.ts';
import { checkChangeLog } from './checks/change-log.ts';
import { checkDeployedClaims } from './checks/claims.ts';
import { checkDeletionsByHand } from './checks/deletions-by-hand.ts';
import { checkErasures } from './checks/erasures.ts';
import { checkEvents } from './checks/events.ts';
import { checkGroupDeletions, checkGroupEvents, checkGroups } from './checks/groups.ts';
import { checkOrder, readTable } from './checks/linearizability.ts';
import { checkEntries, checkList, checkMatches, checkPosts } from './checks/lists.ts';
import { checkMergedPosts } from './checks/merges.ts';
import { checkRepairs } from './checks/repairs.ts';
import { checkBackfill, checkPurges, checkRetention, checkVersions } from './checks/table.ts';
import { Database, type Executed } from './database/database.ts';
import { isByHand } from './database/store.ts';
import { EPOCH } from './environment/globals.ts';
import type { Handlers, Service } from './environment/service.ts';
import { Clock, invoke, Server, type World } from './environment/world.ts';
import { EventBus } from './network/event-bus.ts';
import { Network } from './network/network.ts';
import { chooseOptions, NO_FAULTS } from './options.ts';
import { createRandom, type Random } from './random.ts';
import type { Release } from './workload/own-fields.ts';
import { createPlan, type Plan } from './workload/plan.ts';

export type Result = {
  problems: string[];
  faults: Map<string, string>;
  operations: number;
  executed: Executed[];
  hash: string;
  trace: string[];
};

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** Time until pending work has ended and every read shows the results. */
const SETTLES_MS = 5_000;
/** Time until subscriptions, which poll once a second, have delivered all changes. */
const POLLS_WITHIN_MS = 4_000;
const INDEXER_TIMEOUT_MS = 900_000;

/** Beginnings of words to search. */
const TEXTS = ['ad', 'edith', 'BEA', 'le-r', 'diem'];

/** Runs one history. The same seed and exclusions give the same history. */
export async function simulate(service: Service, seed: string, excluded = new Set<string>()): Promise<Result> {
  const trace: string[] = [];
  const faults = new Map<string, string>();
  const clock = new Clock(EPOCH);
  const world: World = {
    seed,
    clock,
    database: new Database(),
    bus: new EventBus(),
    // Set below, because the network and the world refer to each other.
    network: undefined as unknown as Network,
    options: NO_FAULTS,
    restoredAt: undefined,
    consumed: new Map(),
    excluded,
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
  const { clock, seed } = world;
  const plan = createPlan(seed);
  const consumer = new StreamConsumer(world, handlers, changeConsumer);
  if (plan.isDeploying) consumer.other = { release: 'previous', rate: 1 };
  if (plan.isReordering) consumer.other = { release: 'reordered', rate: 0.5 };
  const consumed = consumer.run();
  const publisher = new StreamConsumer(world, handlers, eventConsumer);
  const published = publisher.run();
  const problems = await createUsers(world, handlers, plan, clients);
  if (plan.isDeploying) consumer.other = { release: 'previous', rate: 0.5 };
  const subscribers = startSubscribers(world, handlers, plan, clients);
  world.options = chooseOptions(seed);
  // Do not stop the bus for hours: hours of retries test no more than seconds.
  world.bus.isDown = world.options.isBusDown && plan.parts.every(({ gap }) => gap === 0);
  await Promise.all([
    runParts(world, plan, { clients, consumers: [consumer, publisher], subscribers }),
    ...plan.indexRuns.map(async (delay, at) => {
      await clock.sleep(delay);
      const id = `index${at + 1}`;
      const random = createRandom(`${seed} ${id}`);
      const timeout = chooseTimeout(random);
      const release = plan.isReordering && random.chance(0.5) ? 'reordered' : 'current';
      problems.push(...(await runIndexer(world, handlers, id, { timeout, release })));
    }),
  ]);
  if (plan.groups > 0) problems.push(...(await completeGroupDeletions(world, handlers)));
  world.options = NO_FAULTS;
  await clock.sleep(SETTLES_MS);
  consumer.close();
  await consumed;
  await clock.sleep(POLLS_WITHIN_MS);
  for (const { subscriber, ended } of subscribers) {
    subscriber.close();
    await ended;
  }
  world.bus.isDown = false;
  publisher.close();
  await published;
  // Check histories before the indexer runs: it also completes erasures, which empty log entries.
  problems.push(...(await checkHistories(world, handlers, createNamesActor(clients.operations, world.consumed))));
  if (plan.isIndexed) problems.push(...(await settleIndex(world, handlers)));
  world.countsFrom = clock.now;
  problems.push(...checkGroups(world.database.store));
  problems.push(...checkSettled(world, clients));
  if (plan.isDeploying) problems.push(...(await completeDeploy(world, handlers)));
  else problems.push(...checkBackfill(world.database.store));
  problems.push(...checkEntries(world.database.store));
  await clients.readAll(TEXTS, plan.isIndexed ? 3 : 1);
  if (plan.isIndexed) problems.push(...(await expireTombstones(world, handlers, clients)));
  problems.push(...(await completeErasures(world, handlers, clients, consumer)));
  problems.push(...checkHistory(world, clients, subscribers));
  if (plan.groups > 0) problems.push(...(await administrateGroup(world, handlers, clients)));
  if (plan.repair) problems.push(...(await repairTable(world, handlers, clients, plan.repair)));
  return [...clients.violations, ...problems];
}

type Subscribed = { subscriber: Subscriber; topic: Plan['subscriptions'][number]['topic']; id: string | undefined };
type Started = Subscribed & { ended: Promise<void> };

function checkSettled({ database: { store }, clock, consumed }: World, { operations }: Clients): string[] {
  return [
    ...checkOrder(operations, { store, time: clock.now, consumed }),
    ...checkPurges(store),
    ...checkMergedPosts(store, operations),
    ...checkRetention(store),
    ...checkDeletionsByHand(store, consumed),
  ];
}

function checkHistory(world: World, clients: Clients, subscribers: Started[]): string[] {
  const { database, bus } = world;
  const { store } = database;
  const { operations } = clients;
  const namesActor = createNamesActor(operations, world.consumed);
  return [
    ...operations.flatMap((operation) => [
      ...checkList(world, operation),
      ...checkPosts(store, operation),
      ...checkMatches(store, operation),
    ]),
    ...checkTimes(store.changes, operations),
    ...checkActors(store.changes, operations),
    ...checkChangeLog(store, namesActor),
    ...checkRepairs(store, 0),
    ...checkVersions(store),
    ...checkEvents(store, bus.accepted),
    ...checkGroupEvents(store, bus.accepted),
    ...checkGroupDeletions(store, operations),
    ...subscribers.flatMap(({ subscriber, topic, id }) => [
      ...subscriber.violations,
      ...subscriber.parts.flatMap((part) => checkSubscription(store.changes, part, { topic, id, namesActor })),
    ]),
  ];
}

type Actors = { clients: Clients; consumers: StreamConsumer[]; subscribers: Started[] };

/** Runs the parts with hours of pause in between. If `isRestored`, switches to a restored copy of the table. */
async function runParts(
  world: World,
  { parts, isRestored }: Plan,
  { clients, consumers, subscribers }: Actors,
): Promise<void> {
  const { clock, seed, database } = world;
  for (const [at, { gap, clients: steps }] of parts.entries()) {
    if (gap > 0) {
      let end = () => {};
      const pause = new Promise<void>((resolve) => {
        end = resolve;
      });
      for (const { subscriber } of subscribers) subscriber.pause(pause);
      await clock.sleep(gap);
      const random = createRandom(`${seed} expiry ${at}`);
      database.deleteExpired(clock.now, () => random.chance(world.options.expiryDeletes));
      if (isRestored) await switchTable(world, consumers);
      for (const consumer of consumers) await consumer.redeliver(at);
      end();
    }
    await Promise.all(steps.map((each) => clients.run(each)));
  }
}

/**
 * Switches like an operator, who waits until all stream records are consumed, because they are not applied to the copy.
 * Runs without faults, which could delay this forever.
 */
async function switchTable(world: World, consumers: StreamConsumer[]): Promise<void> {
  world.options = NO_FAULTS;
  for (const consumer of consumers) await consumer.catchUp();
  world.restoredAt = world.database.store.changes.length;
  world.options = chooseOptions(world.seed);
}

/** Returns ms, sometimes little more than the reserve for the end. */
const chooseTimeout = (random: Random) => (random.chance(0.3) ? random.int(10_000, 10_500) : INDEXER_TIMEOUT_MS);

/** True after a deletion by hand, until `settleIndex`: it writes no tombstone, so index-pages must repair the counts. */
const hasWrongCounts = ({ database, countsFrom }: World): boolean =>
  countsFrom === undefined && database.store.changes.some(isByHand);

/** Runs index-pages, which may die. No count may need a repair, except after a deletion by hand. */
async function runIndexer(
  world: World,
  handlers: Handlers,
  id: string,
  { timeout = INDEXER_TIMEOUT_MS, release = 'current' }: { timeout?: number; release?: Release } = {},
): Promise<string[]> {
  if (world.excluded.has(id)) return [];
  const { ending } = await invoke(world, id, INDEXER_TIMEOUT_MS, () => handlers[release]['index-pages'](timeout));
  world.trace(`${id} ${'error' in ending ? String(ending.error) : JSON.stringify(ending)}`);
  if ('error' in ending) return [`${id} failed: ${ending.error}`];
  if (hasWrongCounts(world)) return [];
  const { pageCounts = {} } = ('result' in ending && ending.result) || {};
  return (pageCounts.repairs ?? []).map((repair) => `${id} had to repair ${JSON.stringify(repair)}`);
}

/** Runs of index-pages in which the verification reaches every block. */
const RUNS_UNTIL_VERIFIED = 12;

async function settleIndex(world: World, handlers: Handlers): Promise<string[]> {
  const problems: string[] = [];
  const runs = hasWrongCounts(world) ? RUNS_UNTIL_VERIFIED : 2;
  for (let run = 1; run <= runs; run++) {
    await world.clock.sleep(5 * MINUTE);
    problems.push(...(await runIndexer(world, handlers, `index-after${run}`)));
  }
  const { ending } = await invoke(world, 'invariant', MINUTE, handlers.findIndexViolations);
  return 'result' in ending
    ? [...problems, ...ending.result]
    : [...problems, `the page index cannot be read: ${JSON.stringify(ending)}`];
}

/**
 * Runs the next backfill, which may die. A backfill adds missing claims and entries, and removes claims and entries of
 * undeclared fields. A later run must find nothing.
 */
async function completeDeploy(world: World, handlers: Handlers): Promise<string[]> {
  const { clock, seed, database } = world;
  await clock.sleep(5 * MINUTE);
  for (const [at, options] of [chooseOptions(seed), NO_FAULTS].entries()) {
    world.options = options;
    const id = `index-deployed${at + 1}`;
    const { ending } = await invoke(world, id, INDEXER_TIMEOUT_MS, () =>
      handlers.current['index-pages'](INDEXER_TIMEOUT_MS),
    );
    world.options = NO_FAULTS;
    if ('error' in ending) return [`${id} failed: ${ending.error}`];
    await clock.sleep(5 * MINUTE);
  }
  return [...(await runIndexer(world, handlers, 'index-later')), ...checkDeployedClaims(readTable(database.store))];
}

/** Ends the deletions of groups, while `on-change` and `publish-events` still consume changes. */
async function completeGroupDeletions(world: World, handlers: Handlers): Promise<string[]> {
  const problems: string[] = [];
  for (const [at, options] of [chooseOptions(world.seed), NO_FAULTS, NO_FAULTS].entries()) {
    world.options = options;
    await world.clock.sleep(MINUTE);
    problems.push(...(await runIndexer(world, handlers, `index-groups${at + 1}`)));
  }
  return problems;
}

/** Completes erasures, then redelivers stream batches, which must restore no personal data. */
async function completeErasures(
  world: World,
  handlers: Handlers,
  { operations }: Clients,
  consumer: StreamConsumer,
): Promise<string[]> {
  const { clock, seed, database } = world;
  if (!operations.some(({ call }) => call.kind === 'delete' && call.erase)) return [];
  await clock.sleep(6 * MINUTE);
  for (const [at, options] of [chooseOptions(seed), NO_FAULTS, NO_FAULTS, NO_FAULTS].entries()) {
    world.options = options;
    await invoke(world, `erasure${at}`, INDEXER_TIMEOUT_MS, () => handlers.current['index-pages'](INDEXER_TIMEOUT_MS));
    world.options = NO_FAULTS;
    await clock.sleep(6 * MINUTE);
  }
  const problems = [...checkErasures(database.store, operations), ...checkRetention(database.store)];
  world.options = { ...NO_FAULTS, lateDuplicates: 1 };
  await consumer.redeliver(99);
  world.options = NO_FAULTS;
  return [
    ...problems,
    ...checkErasures(database.store, operations).map((problem) => `late records bring back: ${problem}`),
  ];
}

/** Lets the tombstones expire. The blocks contain all deletions before that. */
async function expireTombstones(world: World, handlers: Handlers, clients: Clients): Promise<string[]> {
  await world.clock.sleep(8 * DAY);
  world.database.deleteExpired(world.clock.now, () => true);
  await clients.perform('page2 after', 'bare', { kind: 'list', page: 2, limit: 2, order: 'asc' });
  return runIndexer(world, handlers, 'index-later');
}

/** Creates the initial data, then runs index-pages, or a deploy after the previous release's backfill. */
async function createUsers(
  world: World,
  handlers: Handlers,
  { users, posts, groups, isIndexed, isDeploying, isReordering }: Plan,
  clients: Clients,
): Promise<string[]> {
  const groupIds: string[] = [];
  for (let at = 0; at < groups; at++)
    if (!world.excluded.has(`group${at}`)) {
      const externalId = at === 0 ? 'org_1' : undefined;
      const call = { kind: 'createGroup', name: `Group ${at}`, externalId } as const;
      const { outcome } = await clients.perform(`group${at}`, 'graphql', call);
      if (outcome.code === 'OK' && outcome.group) groupIds.push(outcome.group.id);
    }
  for (const [at, { release, own, ...user }] of users.entries())
    if (!world.excluded.has(`user${at}`)) {
      const groupId = groupIds[at % groups];
      const joined = groupId === undefined ? own : { ...own, groups: `${groupId}:member` };
      await clients.perform(`user${at}`, 'bare', { kind: 'create', ...user, own: joined }, release);
    }
  const [author] = clients.users;
  for (let at = 0; author && at < posts; at++)
    if (!world.excluded.has(`post${at}`))
      await clients.perform(`post${at}`, 'graphql', { kind: 'createPost', authorId: author.id, title: `post ${at}` });
  if (!isIndexed && !isDeploying) return [];
  await world.clock.sleep(5 * MINUTE);
  const release = isDeploying ? 'previous' : isReordering ? 'reordered' : 'current';
  return runIndexer(world, handlers, 'index-before', { release });
}

/** If `isShared`, one process serves all subscribers until it crashes. */
function startSubscribers(world: World, handlers: Handlers, plan: Plan, clients: Clients): Started[] {
  const isShared = createRandom(`${world.seed} server`).chance(0.5);
  let server = new Server(isShared);
  const connectTo = () => {
    if (!isShared || server.isDead) server = new Server(isShared);
    return server;
  };
  return plan.subscriptions.flatMap((subscription) => {
    const { topic } = subscription;
    const id = topic === 'users' ? undefined : clients.users[0]?.id;
    if (world.excluded.has(`subscriber-${topic}`) || (topic !== 'users' && !id)) return [];
    const subscriber = new Subscriber(world, handlers, subscription, id, connectTo);
    return [{ subscriber, topic, id, ended: subscriber.run() }];
  });
}
