import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { FieldDeclarations } from '../../../../infra/own-fields/rules.ts';
import { parseLinks } from '../../../setup/links.ts';
import { countRuns } from '../../../setup/seed.ts';
import { type Deployed, deploy } from '../../users/fields/deploy.ts';

type Listed = { id: string; name: string } & Record<string, unknown>;

/** Expected users by id, in creation order. Values of undeclared fields stay stored. */
type Model = Map<string, Listed>;

const [ROUNDS, WRITES] = [countRuns(30), 6];

const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null });

const VALUES = {
  name: fc.constantFrom('Zoë', 'zoe', 'Ada', 'Émile', 'emil', '李明', 'Åsa', 'Ada King'),
  plan: optional(fc.constantFrom('free', 'pro', 'team')),
  tags: optional(fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 })),
  city: optional(fc.constantFrom('Köln', 'koln', 'Bonn', 'Ålesund')),
  age: optional(fc.constantFrom(-5, 0, 1, 10, 9)),
  score: optional(fc.constantFrom(-1.5, -0, 0, 0.25, 1e9, -1e9)),
  birthday: optional(fc.constantFrom('1815-12-10', '1999-01-01', '0001-01-01')),
  isStaff: optional(fc.boolean()),
};

const FILTERS = { plan: 'free', tags: 'x', city: 'Köln', age: 1, birthday: '1999-01-01', isStaff: true };

const boolean = fc.boolean();
const listed = { filter: boolean, sort: boolean };
/** Types stay the same, because the service rejects a changed type. */
const declarations = fc.record(
  {
    plan: fc.record(
      {
        type: fc.constant('string' as const),
        enum: fc.constant(['free', 'pro', 'team']),
        default: fc.constantFrom('free', 'pro'),
        ...listed,
      },
      { requiredKeys: ['type', 'enum'] },
    ),
    tags: fc.record({
      type: fc.constant('string' as const),
      list: fc.constant(true),
      maxLength: fc.constant(20),
      maxItems: fc.constantFrom(3, 4),
      filter: boolean,
    }),
    city: fc.record({ type: fc.constant('string' as const), maxLength: fc.constant(20), ...listed }),
    age: fc.record({ type: fc.constant('integer' as const), ...listed }),
    score: fc.record({ type: fc.constant('number' as const), sort: boolean }),
    birthday: fc.record({ type: fc.constant('date' as const), ...listed }),
    isStaff: fc.record({ type: fc.constant('boolean' as const), filter: boolean }),
  },
  { requiredKeys: [] },
);

const write = fc.record({
  kind: fc.constantFrom('create' as const, 'create' as const, 'update' as const, 'remove' as const),
  values: fc.record(VALUES),
  at: fc.nat(),
});

test('lists equal a filtered and sorted array after every write and every change of the declarations', async () => {
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue();
  const model: Model = new Map();
  let unavailable = 0;
  for (const [round, fields] of fc.sample(declarations, { numRuns: ROUNDS, seed: 46 }).entries()) {
    const service = await deploy(fields);
    if (round === 0) await service.clearTable();
    service.environment.now = () => Date.now() + round * 10_000;
    // Before the backfill, a list with missing users must be unavailable, never wrong.
    unavailable += await checkLists(service, fields, model);
    await service.run();
    service.environment.now = () => Date.now() + round * 10_000 + 6_000;
    expect(await checkLists(service, fields, model)).toBe(0);
    for (const each of fc.sample(write, { numRuns: WRITES, seed: round })) {
      await apply(service, fields, model, each);
      expect(await checkLists(service, fields, model)).toBe(0);
    }
  }
  expect(model.size).toBeGreaterThan(5);
  expect(unavailable).toBeGreaterThan(5);
  vi.restoreAllMocks();
});

type Write = typeof write extends fc.Arbitrary<infer Value> ? Value : never;

async function apply(service: Deployed, fields: FieldDeclarations, model: Model, { kind, values, at }: Write) {
  const declared = Object.fromEntries(Object.entries(values).filter(([name]) => name === 'name' || name in fields));
  const given = Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== null));
  const id = [...model.keys()][at % Math.max(1, model.size)];
  if (kind === 'create' || id === undefined) {
    const created = await service.add(given);
    model.set(created, { ...given, id: created, name: values.name });
  } else if (kind === 'update') {
    expect((await service.update(id, declared)).status).toBe(200);
    model.set(id, { ...model.get(id), ...declared, id, name: values.name });
  } else {
    await service.remove(id);
    model.delete(id);
  }
}

/** Compares all lists with the model. Returns the number of unavailable lists. */
async function checkLists(service: Deployed, fields: FieldDeclarations, model: Model): Promise<number> {
  const users = [...model.values()].map((user) => showDefaults(user, fields));
  const declared = Object.entries(fields);
  const filters = declared.filter(([, { filter }]) => filter).map(([name]) => name as keyof typeof FILTERS);
  const sorts = ['name', ...declared.filter(([, { sort }]) => sort).map(([name]) => name)];
  let unavailable = 0;
  const check = async (query: Record<string, string>, expected: Listed[]) => {
    const found = await listIds(service, query);
    if (found === undefined) unavailable += 1;
    else expect({ query, ids: found }).toEqual({ query, ids: expected.map(({ id }) => id) });
  };
  for (const order of ['asc', 'desc']) {
    for (const name of filters) await check({ [name]: String(FILTERS[name]), order }, filterUsers(users, name, order));
    for (const sort of sorts) {
      const sorted = sortUsers(users, sort, order);
      await check({ sort, order }, sorted);
      const [name] = filters;
      if (name) await check({ sort, order, [name]: String(FILTERS[name]) }, filterUsers(sorted, name, 'asc'));
    }
  }
  return unavailable;
}

function showDefaults(user: Listed, fields: FieldDeclarations): Listed {
  const shown = Object.entries(fields).map(([name, field]) => [name, user[name] ?? field.default]);
  return { id: user.id, name: user.name, ...Object.fromEntries(shown) };
}

async function listIds(service: Deployed, query: Record<string, string>): Promise<string[] | undefined> {
  const ids: string[] = [];
  let next: Record<string, string> | undefined = { ...query, limit: '4' };
  while (next) {
    const response = await service.list(next);
    if (response.status === 503) return undefined;
    expect(response.status).toBe(200);
    ids.push(...(response.json as Listed[]).map(({ id }) => id));
    next = parseLinks(response).next?.query;
  }
  return ids;
}

function filterUsers(users: Listed[], name: keyof typeof FILTERS, order: string): Listed[] {
  const found = users.filter((user) => [user[name]].flat().includes(FILTERS[name]));
  return order === 'asc' ? found : found.toReversed();
}

/** Sorts users. Users without a value come last in both orders. */
function sortUsers(users: Listed[], sort: string, order: string): Listed[] {
  const isNone = (user: Listed) => user[sort] == null;
  const direction = order === 'asc' ? 1 : -1;
  return users.toSorted((one, other) => {
    if (isNone(one) !== isNone(other)) return isNone(one) ? 1 : -1;
    const compared = isNone(one) ? 0 : compareValues(one[sort], other[sort]);
    return direction * (compared || compareBytes(one.id, other.id));
  });
}

const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const compareBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));

function compareValues(one: unknown, other: unknown): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  return compareBytes(fold(String(one)), fold(String(other)));
}
