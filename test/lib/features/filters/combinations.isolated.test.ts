import { beforeAll, expect, test, vi } from 'vitest';
import { DATE_FORM, TIME_FORM } from '../../../../lib/input/time.ts';
import type { Query } from '../../../setup/event.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { execute, fetchData } from '../../graphql/client.ts';
import { bare, clients, enveloped, parseError, type Response, type RestClient } from '../../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/listed-fields.json';
});

type Fields = {
  plan?: string;
  tags?: string[];
  city?: string | undefined;
  isStaff?: boolean;
  age?: number;
  score?: number;
  birthday?: string;
  lastSeenAt?: string;
};
type Person = Fields & { id: string; name: string };

const FIRST_NAMES = ['Ada', 'Adam', 'Bea', 'Cleo'];
const CITIES = ['Köln', 'koln', 'Paris', undefined];

/** Chooses values so that some combinations have many users, some few, and some none. */
const createFields = (number: number): Fields => ({
  ...(number % 5 === 0 ? {} : { plan: number % 3 === 0 ? 'pro' : 'team' }),
  ...(number % 4 === 0 ? { tags: ['x', ...(number % 8 === 0 ? ['y'] : [])] } : {}),
  ...(CITIES[number % 4] ? { city: CITIES[number % 4] } : {}),
  ...(number === 17 || number === 90 ? { isStaff: true } : {}),
  ...(number % 6 === 0 ? {} : { age: number % 50 }),
  ...(number % 2 === 0 ? { score: (number % 7) - 3.5 } : {}),
  ...(number % 9 === 0 ? { birthday: `19${10 + (number % 80)}-02-03` } : {}),
  ...(number % 10 === 0 ? { lastSeenAt: `2026-01-${10 + (number % 19)}T12:00:00.000Z` } : {}),
});

const people: Person[] = [];

beforeAll(async () => {
  for (let number = 0; number < 120; number++) {
    const fields = createFields(number);
    const response = await bare.create({ ...newPerson(), name: `${FIRST_NAMES[number % 4]} ${number}`, ...fields });
    people.push({ plan: 'free', ...(response.json as Person) });
  }
}, 60_000);

type Condition = {
  /** Query of REST. */
  rest: string;
  /** Members of GraphQL's filter. */
  graphql: string;
  matches: (person: Person) => boolean;
};

const fold = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

const conditions: Record<string, Condition> = {
  plan: { rest: 'plan=pro', graphql: 'plan: "pro"', matches: ({ plan }) => plan === 'pro' },
  plans: {
    rest: 'plan=free&plan=team&plan=free',
    graphql: 'plan: ["free", "team", "free"]',
    matches: ({ plan }) => plan !== 'pro',
  },
  tags: { rest: 'tags=x&tags=y', graphql: 'tags: ["x", "y"]', matches: ({ tags = [] }) => tags.length > 0 },
  staff: { rest: 'isStaff=true', graphql: 'isStaff: true', matches: ({ isStaff }) => isStaff === true },
  noStaff: {
    rest: 'isStaff.exists=false',
    graphql: 'isStaffRange: { exists: false }',
    matches: ({ isStaff }) => isStaff === undefined,
  },
  age: {
    rest: 'age.gte=10&age.lt=30',
    graphql: 'ageRange: { gte: 10, lt: 30 }',
    matches: ({ age = -1 }) => age >= 10 && age < 30,
  },
  noAge: { rest: 'age.exists=false', graphql: 'ageRange: { exists: false }', matches: ({ age }) => age === undefined },
  score: {
    rest: 'score.gt=-2.5&score.lte=0.5',
    graphql: 'scoreRange: { gt: -2.5, lte: 0.5 }',
    matches: ({ score }) => score !== undefined && score > -2.5 && score <= 0.5,
  },
  city: {
    rest: 'city.gte=KOLN&city.lt=l',
    graphql: 'cityRange: { gte: "KOLN", lt: "l" }',
    matches: ({ city = '' }) => fold(city) === 'koln',
  },
  seen: {
    rest: 'lastSeenAt.gte=2026-01-20T13:00:00%2B01:00',
    graphql: 'lastSeenAtRange: { gte: "2026-01-20T13:00:00+01:00" }',
    matches: ({ lastSeenAt = '' }) => lastSeenAt >= '2026-01-20T12:00',
  },
  birthday: {
    rest: 'birthday.lt=1950-01-01',
    graphql: 'birthdayRange: { lt: "1950-01-01" }',
    matches: ({ birthday = '9' }) => birthday < '1950',
  },
};

/** Conditions that need another one. */
const DEPENDENT = ['noStaff'];

const readUsers = ({ json }: Response): Person[] => {
  const { data = json } = json as { data?: unknown };
  return data as Person[];
};

/** Conditions of the same field, which the APIs would merge. */
const EXCLUSIVE = [
  ['plan', 'plans'],
  ['staff', 'noStaff'],
  ['age', 'noAge'],
];

const isAllowed = (names: string[]) => !EXCLUSIVE.some((group) => group.every((name) => names.includes(name)));

const singles = Object.keys(conditions)
  .filter((name) => !DEPENDENT.includes(name))
  .map((name) => [name]);

const pairs = Object.keys(conditions)
  .flatMap((one, at, names) => names.slice(at + 1).map((other) => [one, other]))
  .filter(isAllowed);

/** A third condition beside each pair. */
const triples = Object.keys(conditions)
  .flatMap((one, at, names) =>
    names.slice(at + 1).map((other, step) => [one, other, names[(at + step + 3) % names.length] ?? '']),
  )
  .filter((names) => new Set(names).size === names.length)
  .filter(isAllowed);

/** Conditions that list users in the order of a field. */
const RANGES = ['age', 'noAge', 'score', 'city', 'seen', 'birthday'];

type Found = { names: string[]; total: string | undefined };

/** Follows the links to the end. */
async function readAll(client: RestClient, query: Query): Promise<Found> {
  const names: string[] = [];
  let total: string | undefined;
  for (let next: Query | undefined = query; next; ) {
    const response = await client.list(next, { prefer: 'count=exact' });
    expect(response.status, JSON.stringify([next, response.json])).toBe(200);
    names.push(...readUsers(response).map(({ name }) => name));
    total ??= response.headers['x-total-count'] as string | undefined;
    next = findNext(response);
  }
  return { names, total };
}

function findNext({ headers }: Response): Query | undefined {
  const [, query] = /\?([^>]*)>; rel="next"/.exec(String(headers.link)) ?? [];
  return query === undefined ? undefined : parseQuery(query);
}

function parseQuery(text: string): Query {
  const parameters = new URLSearchParams(text);
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

async function readAllByGraphql(filter: string, sort: string): Promise<Found> {
  const names: string[] = [];
  let total: number | null = null;
  for (let after: string | null = null; ; ) {
    const { users }: { users: Connection } = await fetchData(
      `query ($after: String) { users(filter: { ${filter} }${sort}, first: 7, after: $after) {
         nodes: edges { node { name } } totalCount pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
    names.push(...users.nodes.map(({ node }) => node.name));
    if (after === null) total = users.totalCount;
    after = users.pageInfo.endCursor;
    if (!users.pageInfo.hasNextPage) return { names, total: total === null ? undefined : String(total) };
  }
}

type Connection = {
  nodes: { node: { name: string } }[];
  totalCount: number | null;
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
};

const list = (matches: (person: Person) => boolean) => people.filter(matches).map(({ name }) => name);

type Read = (names: string[], sort?: string) => Promise<Found>;
const readers: [Read, Read, Read] = [
  (names, sort) => readAll(bare, { ...toQuery(names, sort), limit: '7' }),
  (names, sort) => readAll(enveloped, toQuery(names, sort)),
  (names, sort) => readAllByGraphql(select(names, 'graphql').join(', '), sort ? `, sort: ${sort}` : ''),
];

const select = <Member extends keyof Condition>(names: string[], member: Member): Condition[Member][] =>
  names.flatMap((name) => conditions[name]?.[member] ?? []);

const toQuery = (names: string[], sort?: string): Query => ({
  ...parseQuery(select(names, 'rest').join('&')),
  ...(sort ? { sort } : {}),
});

const findExpected = (names: string[]) => {
  const matches = select(names, 'matches');
  return list((person) => matches.every((each) => each(person)));
};

function expectFound({ names: found, total }: Found, names: string[], isInOrder: boolean) {
  const expected = findExpected(names);
  if (isInOrder) expect(found, names.join()).toEqual(expected);
  expect(found.toSorted(), names.join()).toEqual(expected.toSorted());
  expect([names.join(), total]).toEqual([names.join(), String(expected.length)]);
}

const isRange = (names: string[]) => names.some((name) => RANGES.includes(name));

test.each(singles)('the condition %s lists and counts the same users in each API', async (name) => {
  const lists = await Promise.all(readers.map((read) => read([name])));
  for (const found of lists) {
    expectFound(found, [name], !isRange([name]));
    expect(found.names).toEqual(lists[0]?.names);
  }
});

// Each API parses single conditions. Pairs and triples take turns: each uses one API.
test('each pair of conditions lists and counts the users who match both', async () => {
  for (const [at, names] of pairs.entries()) {
    const read = readers[at % readers.length] ?? readers[0];
    expectFound(await read(names), names, !isRange(names));
  }
});

test('three conditions list and count the users who match all, by name', async () => {
  for (const [at, names] of triples.entries()) {
    const read = readers[at % readers.length] ?? readers[0];
    const found = await read(names, 'name');
    expectFound(found, names, false);
    expect(found.names).toEqual(found.names.toSorted());
  }
});

test('a range lists users in the order of the field, in both directions', async () => {
  const { names } = await readAll(bare, { 'age.gte': '10', 'age.lt': '30', limit: '7' });
  const ages = names.map((name) => people.find((person) => person.name === name)?.age ?? 0);
  expect(ages).toEqual(ages.toSorted((one, other) => one - other));
  const descending = await readAll(bare, { 'age.gte': '10', 'age.lt': '30', sort: 'age', order: 'desc', limit: '7' });
  expect(descending.names.toReversed()).toEqual(names);
});

test('users found by an address or ids are left out unless they match a range', async () => {
  const [person] = people.filter(({ age = 0 }) => age > 30);
  const { id = '', name = '' } = person ?? {};
  expect((await readAll(bare, { id, 'age.gt': '30' })).names).toEqual([name]);
  expect((await readAll(bare, { id, 'age.lte': '30' })).names).toEqual([]);
});

test('an empty period, a value that no user can have, and a cursor behind the range find and count nobody', async () => {
  const period = { plan: 'pro', createdAfter: '2026-05-01', createdBefore: '2026-01-01' };
  for (const query of [period, { plan: 'pro', city: '' }])
    expect(await readAll(bare, query)).toEqual({ names: [], total: '0' });
  const last = await bare.list({ sort: 'age', order: 'desc', limit: '100' });
  const { after = '' } = findNext(last) ?? {};
  expect(after).not.toBe('');
  expect((await readAll(bare, { 'age.gte': '0', order: 'desc', after })).names).toEqual([]);
});

test('GraphQL rejects a bound that is not well-formed', async () => {
  const query = 'query ($city: String) { users(filter: { cityRange: { gte: $city } }) { totalCount } }';
  const { errors } = await execute(query, { city: '\ud800' });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
});

test.each([
  ['score.gte=x', 'score.gte', 'must be a number'],
  ['age.gte=1.5', 'age.gte', 'must be a whole number'],
  ['birthday.lt=tomorrow', 'birthday.lt', DATE_FORM],
  ['lastSeenAt.lt=2026-01-31T12:00', 'lastSeenAt.lt', TIME_FORM],
  ['age.gte=1&age.gt=1', 'age.gt', 'cannot be combined with gte'],
  ['age.lte=1&age.lt=1', 'age.lt', 'cannot be combined with lte'],
  ['age.gte=3&age.lt=2', 'age.gte', 'must not be above the upper bound'],
  ['age.exists=false&age.lt=2', 'age.lt', 'cannot be combined with exists=false'],
  ['age.exists=no', 'age.exists', 'must be true or false'],
  ['age.lt=1&age.lt=2', 'age.lt', 'must be given only once'],
  ['isStaff.exists=false', 'isStaff.exists', 'needs another condition: the field has no sorted list'],
  [Array.from({ length: 11 }, (_, at) => `city=${at}`).join('&'), 'city', 'must have at most 10 values'],
  [`city.lt=${'x'.repeat(257)}`, 'city.lt', 'must have at most 256 characters'],
  ['age.gte=1&after=x', 'after', 'must be from a link to the next page of the list by age'],
])('%s is 400', async (query, name, message) => {
  for (const client of clients) {
    const response = await client.list(parseQuery(query));
    expect(response.status).toBe(400);
    expect(parseError(response).issues).toEqual([{ path: [name], message }]);
  }
});

test.each([
  ['score.between=1', 'score.between'],
  ['isStaff.gte=true', 'isStaff.gte'],
  ['name.gte=a', 'name.gte'],
])('%s is an unknown parameter', async (query, name) => {
  const response = await bare.list(parseQuery(query));
  expect(response.status).toBe(400);
  expect(parseError(response).issues).toMatchObject([{ path: [name] }]);
});

test('GraphQL names the invalid operator', async () => {
  const { errors } = await execute('{ users(filter: { scoreRange: { gte: 2, lt: 1 } }) { totalCount } }');
  expect(errors?.[0]?.extensions).toMatchObject({
    issues: [{ path: ['filter', 'scoreRange', 'gte'], message: 'must not be above the upper bound' }],
  });
});

test('lists stay right while eight clients change users', async () => {
  const changing = people.filter((_, at) => at % 15 === 4);
  let isDone = false;
  const change = async ({ id }: Person) => {
    for (let round = 0; round < 6; round++)
      await bare.update(id, { plan: round % 2 === 0 ? 'team' : 'pro', age: 20 + round });
  };
  const changes = Promise.all(changing.map(change)).then(() => {
    isDone = true;
  });
  const names = new Set(changing.map(({ name }) => name));
  const matches = ({ name, plan, age = -1 }: Person) => !names.has(name) && plan === 'pro' && age >= 10 && age < 30;
  while (!isDone) {
    const found = (await readAll(bare, { plan: 'pro', 'age.gte': '10', 'age.lt': '30', limit: '7' })).names;
    expect(found.filter((name) => !names.has(name)).toSorted()).toEqual(list(matches).toSorted());
  }
  await changes;
  const found = (await readAll(enveloped, { plan: 'pro', 'age.gte': '10', 'age.lt': '30' })).names;
  expect(found).toEqual(expect.arrayContaining([...names]));
});
