import { checkClaims } from '../checks/claims.ts';
import { readTable } from '../checks/linearizability.ts';
import { checkEntries } from '../checks/lists.ts';
import { checkOrphans, checkRepairs } from '../checks/repairs.ts';
import { type Change, type Key, latest, type Stored } from '../database/store.ts';
import type { Handlers } from '../environment/service.ts';
import { invoke, type World } from '../environment/world.ts';
import { chooseOptions, NO_FAULTS } from '../options.ts';
import { createRandom, type Random } from '../random.ts';
import type { Repair } from '../workload/plan.ts';
import type { Clients } from './clients.ts';
import { changeConsumer, StreamConsumer } from './stream-consumer.ts';

const TIMEOUT_MS = 900_000;
/** Time until pending work has ended and every read shows the results. */
const SETTLES_MS = 5_000;

/** Reverts some items, like a restore to the middle of transactions. Repairs the table while clients write. */
export async function repairTable(
  world: World,
  handlers: Handlers,
  clients: Clients,
  { parts, runs }: Repair,
): Promise<string[]> {
  const { clock, database, seed } = world;
  const { store } = database;
  const restored = store.commits + 1;
  database.replace(chooseEarlier(createRandom(`${seed} restore`), [...store.all()]), clock.now, 'restore');
  const consumer = new StreamConsumer(world, handlers, changeConsumer, store.changes.length);
  const consumed = consumer.run();
  clients.mayMeetStaleClaims = true;
  const options = chooseOptions(seed);
  // Sometimes use more slow requests, so that some writes by `on-change` arrive after the repair.
  const slow = createRandom(`${seed} slow repair`).pick([0.3, options.rates['slow request']]);
  world.options = { ...options, rates: { ...options.rates, 'slow request': slow } };
  const run = (id: string) => repair(world, handlers, id);
  const results = await Promise.all([
    ...runs.map((delay, at) => clock.sleep(delay).then(() => run(`repair${at + 1}`))),
    ...parts.map((steps) => clients.run(steps).then(() => [])),
    bringBack(world).then(() => []),
  ]);
  world.options = NO_FAULTS;
  await clock.sleep(SETTLES_MS);
  consumer.close();
  await consumed;
  results.push(await run('repair-last'));
  return [
    ...results.flat(),
    ...checkRepairs(store, restored),
    ...checkEntries(store),
    ...checkClaims(readTable(store), ['email', 'nickname', 'badge', 'hobby']),
    ...checkOrphans(store),
  ].map((problem) => `after a restore, ${problem}`);
}

async function repair(world: World, handlers: Handlers, id: string): Promise<string[]> {
  if (world.excluded.has(id)) return [];
  const { ending } = await invoke<object>(world, id, TIMEOUT_MS, () => handlers.repairTable());
  world.trace(`${id} ${'error' in ending ? String(ending.error) : JSON.stringify(ending)}`);
  if (!('error' in ending) || world.options !== NO_FAULTS) return [];
  // Ignore a failed count of users, which comes after all repairs.
  return /adjustments are not folded yet/.test(String(ending.error)) ? [] : [`${id} failed: ${ending.error}`];
}

const RESTORED = /^(USER#\S+ (USER$|POST#)|(EMAIL|UNIQUE|SEARCH|LIST|PAGES)#\S*( |$))/;
const isRestored = ({ pk, sk }: Stored) => RESTORED.test(`${pk} ${sk}`) && !/^PAGES#\d/.test(pk);

/** Reverts each item to an earlier version or none, as in a backup. */
function chooseEarlier(random: Random, items: Stored[]) {
  return items
    .filter((stored) => isRestored(stored) && random.chance(stored.sk.startsWith('POST#') ? 0.6 : 0.25))
    .map(({ pk, sk, versions }) => {
      const at = random.int(-1, versions.length - 2);
      return { key: { pk, sk }, item: versions[at]?.item };
    });
}

/** Imports a deleted user under the same id. Prefers a user who has just lost a post to a repair. */
async function bringBack({ clock, database, seed }: World): Promise<void> {
  const { store } = database;
  const random = createRandom(`${seed} import`);
  const end = clock.now + random.int(0, 600);
  const from = store.changes.length;
  let orphan: Change | undefined;
  while (!orphan && clock.now < end) {
    await Promise.race([store.nextCommit(), clock.sleep(end - clock.now)]);
    orphan = store.changes.slice(from).find(({ by, sk }) => by.startsWith('repair') && sk.startsWith('POST#'));
  }
  const gone = [...store.all()].filter((stored) => stored.sk === 'USER' && !latest(stored));
  const user = gone.find(({ pk }) => pk === orphan?.pk) ?? (gone.length > 0 ? random.pick(gone) : undefined);
  const item = user?.versions.findLast((version) => version.item)?.item;
  if (!user || !item) return;
  const { pk, sk } = user;
  const id = pk.slice('USER#'.length);
  const recorded = (item.derived?.L ?? []).flatMap(({ S = '' }) => S);
  const claims = recorded
    .filter((text) => !text.includes('\t'))
    .map((text) => ({ pk: text, sk: text.startsWith('EMAIL#') ? 'EMAIL' : 'UNIQUE' }));
  const entries = recorded
    .filter((text) => text.includes('\t'))
    .map((text) => ({ pk: text.slice(0, text.indexOf('\t')), sk: `${text.slice(text.indexOf('\t') + 1)}${id}` }));
  const isTaken = (key: Key) => {
    const claim = store.find(key);
    return claim !== undefined && latest(claim) !== undefined;
  };
  if (claims.some(isTaken)) return;
  const claim = { userId: { S: id }, version: item.version ?? {} };
  const toItem = (key: Key) => ({ pk: { S: key.pk }, sk: { S: key.sk }, ...claim });
  database.replace(
    [
      { key: { pk, sk }, item },
      ...claims.map((key) => ({ key, item: toItem(key) })),
      ...[...entries, { pk: 'PAGES#ADJUSTMENTS', sk: `${clock.now}#${id}#${item.version?.N}#RETURN` }].map((key) => ({
        key,
        item: { pk: { S: key.pk }, sk: { S: key.sk } },
      })),
    ],
    clock.now,
    'import',
  );
}
