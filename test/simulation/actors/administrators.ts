import { latest, readFields, type Store } from '../database/store.ts';
import type { Administration, Handlers } from '../environment/service.ts';
import { invoke, type World } from '../environment/world.ts';
import { chooseOptions, NO_FAULTS } from '../options.ts';
import { createRandom, type Random } from '../random.ts';
import { parseMemberships } from '../workload/memberships.ts';
import type { Clients } from './clients.ts';

const TIMEOUT_MS = 10_000;
const REJECTIONS = /^(FORBIDDEN|NOT_FOUND|CONFLICT|SERVICE_UNAVAILABLE)$/;

/**
 * Two administrators of a new group add, change and remove members and each other, through `myGroup`. After each write,
 * the group has an administrator.
 */
export async function administrateGroup(world: World, handlers: Handlers, clients: Clients): Promise<string[]> {
  const { clock, database, seed } = world;
  const { outcome } = await clients.perform('adminGroup', 'graphql', {
    ...{ kind: 'createGroup', name: 'Administrators', externalId: undefined },
  });
  const groupId = outcome.code === 'OK' ? (outcome.group?.id ?? '') : '';
  const own = { groups: `${groupId}:admin` };
  for (const name of ['x', 'y'])
    await clients.perform(`admin-${name}`, 'bare', { kind: 'create', name, email: `${name}@admins.example.org`, own });
  const { store } = database;
  const start = store.changes.length;
  const listMembers = () =>
    [...store.all()].flatMap((stored) => (readRole(latest(stored), groupId) ? [stored.pk] : []));
  const [first = '', second = ''] = listMembers().map(readId);
  world.options = chooseOptions(seed);
  const run = async (administrator: string, client: string): Promise<string[]> => {
    const problems: string[] = [];
    for (let step = 1; step <= 3; step++) {
      const id = `${client}${step}`;
      const random = createRandom(`${seed} ${id}`);
      await clock.sleep(random.int(0, 30));
      if (world.excluded.has(id)) continue;
      const change = chooseChange(random, listMembers().map(readId));
      const { ending } = await invoke(world, id, TIMEOUT_MS, () =>
        handlers.administrate({ groupId, administrator, change }),
      );
      world.trace(`${id} ${administrator} ${JSON.stringify(change)} ${JSON.stringify(ending)}`);
      if ('error' in ending) problems.push(`${id} failed: ${ending.error}`);
      if ('result' in ending && !REJECTIONS.test(ending.result ?? 'NOT_FOUND'))
        problems.push(`${id} returned ${ending.result}`);
    }
    return problems;
  };
  const problems = await Promise.all([run(first, 'x'), run(second, 'y')]);
  world.options = NO_FAULTS;
  return [...problems.flat(), ...checkAdministrators(store, start, groupId)];
}

const readId = (pk: string) => pk.slice('USER#'.length);

const readRole = (item: ReturnType<typeof latest>, groupId: string) =>
  item?.sk?.S === 'USER'
    ? parseMemberships(String(readFields(item).groups ?? '')).find(({ id }) => id === groupId)?.role
    : undefined;

function chooseChange(random: Random, members: string[]): Administration['change'] {
  const id = random.pick(members);
  const kind = random.pick(['add', 'update', 'update', 'remove', 'remove'] as const);
  if (kind === 'remove') return { kind, id };
  const role = random.pick(['member', 'admin'] as const);
  if (kind === 'update') return { kind, id, role };
  return { kind, name: 'New', email: `new${random.int(1, 3)}@admins.example.org`, role };
}

/** Checks the group after each commit from the change `start` on. */
function checkAdministrators({ changes }: Store, start: number, groupId: string): string[] {
  const administrators = new Set<string>();
  return [...Map.groupBy(changes, ({ commit }) => commit).values()].flatMap((written) => {
    for (const { pk, sk, after } of written)
      if (sk === 'USER') administrators[readRole(after, groupId) === 'admin' ? 'add' : 'delete'](pk);
    const [{ position = 0, by = '' } = {}] = written;
    return position >= start && administrators.size === 0 ? [`${by} left ${groupId} without an administrator`] : [];
  });
}
