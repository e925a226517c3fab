import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../../../infra/openapi/document.ts';
import { deleteItems, putItems } from '../../../../lib/dynamodb/batch.ts';
import { table } from '../../../../lib/dynamodb/client.ts';
import { parseLinks } from '../../../setup/links.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { execute } from '../../graphql/client.ts';
import { bare, clients, parseError, type Response } from '../../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/listed-fields.json';
});

type Listed = { id: string; name: string; email: string } & Record<string, unknown>;

const readList = ({ json }: Response): Listed[] => {
  const { data = json } = json as { data?: unknown };
  return data as Listed[];
};
const readUser = ({ json }: Response): Listed => json as Listed;

const create = async (values: Record<string, unknown> = {}) => {
  const response = await bare.create({ ...newPerson(), ...values });
  expect(response.status).toBe(201);
  return readUser(response);
};

const removeAll = async () => {
  for (const { id } of readList(await bare.list({ limit: '1000' }))) await bare.remove(id);
};

const listNames = (users: Listed[]) => users.map(({ name }) => name);

test('links drop a value that is too long for a key, because no user can have it', async () => {
  await removeAll();
  const { email } = await create();
  const { status, headers } = await bare.list({ email, city: 'x'.repeat(9_000), page: '2', limit: '1' });
  expect(status).toBe(200);
  expect(headers.link).toContain('rel="first"');
  expect(String(headers.link).length).toBeLessThan(2_000);
});

test('links drop invisible characters, which do not count', async () => {
  await removeAll();
  await create({ city: 'Köln' });
  await create({ city: 'Köln' });
  const response = await bare.list({ city: `${'\u200b'.repeat(3_000)}Köln`, limit: '1' });
  expect(parseLinks(response).next?.query).toMatchObject({ city: 'Köln' });
});

describe.each(clients)('$path', (client) => {
  const list = async (query: Record<string, string>) => listNames(readList(await client.list(query)));

  test('lists users with a value by creation, in both orders', async () => {
    await removeAll();
    await create({
      name: 'A',
      plan: 'pro',
      tags: ['x', 'y'],
      isStaff: true,
      age: 36,
      birthday: '1815-12-10',
      city: 'Köln',
    });
    await create({ name: 'B', tags: ['y'], isStaff: false });
    await create({ name: 'C', plan: 'pro', age: 37, level: 0.5 });
    expect(await list({ plan: 'pro' })).toEqual(['A', 'C']);
    expect(await list({ plan: 'pro', order: 'desc' })).toEqual(['C', 'A']);
    expect(await list({ tags: 'y' })).toEqual(['A', 'B']);
    expect(await list({ plan: '\u200bpro' })).toEqual(['A', 'C']);
    expect(await list({ isStaff: 'true' })).toEqual(['A']);
    expect(await list({ isStaff: 'false' })).toEqual(['B']);
    expect(await list({ age: '36' })).toEqual(['A']);
    expect(await list({ birthday: '1815-12-10' })).toEqual(['A']);
    expect(await list({ level: '0.5' })).toEqual(['C']);
    expect(await list({ city: 'Köln'.normalize('NFD') })).toEqual(['A']);
    expect(await list({ city: '\u200bKö\u00adln' })).toEqual(['A']);
    expect(await list({ city: '\u200b' })).toEqual([]);
    expect(await list({ city: 'köln' })).toEqual([]);
  });

  test('a default counts as the value', async () => {
    await removeAll();
    const { id } = await create({ name: 'A' });
    expect(await list({ plan: 'free' })).toEqual(['A']);
    await bare.update(id, { plan: 'team' });
    expect(await list({ plan: 'free' })).toEqual([]);
    expect(await list({ plan: 'team' })).toEqual(['A']);
    await bare.update(id, { plan: null });
    expect(await list({ plan: 'free' })).toEqual(['A']);
    await bare.remove(id);
    expect(await list({ plan: 'free' })).toEqual([]);
  });

  test('drops users with outdated entries', async () => {
    await removeAll();
    const { id } = await create({ name: 'A', plan: 'free' });
    const entries = [
      { pk: 'LIST#plan=pro', sk: id },
      { pk: 'LIST#name', sk: `1aaron\t${id}` },
    ];
    await putItems(entries);
    expect(await list({ plan: 'pro' })).toEqual([]);
    expect(await list({ sort: 'name' })).toEqual(['A']);
    await deleteItems(entries);
  });

  test('sorts by the name without invisible characters', async () => {
    await removeAll();
    for (const name of ['Cleo', '\u2060Bea', '\u00adAda']) await create({ name });
    expect(await list({ sort: 'name' })).toEqual(['\u00adAda', '\u2060Bea', 'Cleo']);
  });

  test('combines filters with each other, with a search, a sort, a period and an address', async () => {
    await removeAll();
    const a = await create({ name: 'Ada King', plan: 'pro', tags: ['x'], age: 3 });
    await create({ name: 'Ada Byron', plan: 'pro', age: 2 });
    await create({ name: 'Ada Young', age: 1, tags: ['x'] });
    await create({ name: 'Bea King', plan: 'pro', tags: ['x'] });
    expect(await list({ plan: 'pro', tags: 'x' })).toEqual(['Ada King', 'Bea King']);
    expect(await list({ plan: 'pro', q: 'ada' })).toEqual(['Ada Byron', 'Ada King']);
    expect(await list({ plan: 'pro', q: 'ada', sort: 'age' })).toEqual(['Ada Byron', 'Ada King']);
    expect(await list({ q: 'ada', sort: 'age', order: 'desc' })).toEqual(['Ada King', 'Ada Byron', 'Ada Young']);
    expect(await list({ tags: 'x', sort: 'name', order: 'desc' })).toEqual(['Bea King', 'Ada Young', 'Ada King']);
    expect(await list({ plan: 'pro', createdAfter: '2000-01-01', createdBefore: '2001-01-01' })).toEqual([]);
    expect(await list({ plan: 'free', email: a.email })).toEqual([]);
    expect(await list({ plan: 'pro', email: a.email })).toEqual(['Ada King']);
    expect(
      await list({ changedSince: new Date(Date.now() - 60_000).toISOString(), plan: 'pro', sort: 'name' }),
    ).toEqual(['Ada Byron', 'Ada King', 'Bea King']);
  });

  test.each([
    ['plan', 'gold', 'must be one of free, pro, team'],
    ['isStaff', 'yes', 'must be true or false'],
    ['age', '1.5', 'must be a whole number'],
    ['level', '0.50000000000000001', 'must be a number'],
    ['birthday', '10.12.1815', 'must be a date such as 2026-01-31, from the year 0001 on'],
    ['birthday', '0000-12-10', 'must be a date such as 2026-01-31, from the year 0001 on'],
    ['sort', 'tags', 'must be one of name, city, age, score, birthday, lastSeenAt'],
    ['after', 'x', 'must be from a link to the next page of the list by name'],
  ])('answers 400 for %s=%s', async (name, value, message) => {
    const response = await client.list({ ...(name === 'after' ? { sort: 'name' } : {}), [name]: value });
    expect(response.status).toBe(400);
    expect(parseError(response).issues).toEqual([{ path: [name], message }]);
  });

  test('counts the users of one filter on request', async () => {
    await removeAll();
    for (const plan of ['pro', 'team', 'pro']) await create({ plan });
    const { headers } = await client.list({ plan: 'pro' }, { prefer: 'count=exact' });
    expect(headers).toMatchObject({ 'x-total-count': '2', 'preference-applied': 'count=exact' });
    const all = await client.list({}, { prefer: 'return=minimal, count="exact"' });
    expect(all.headers).toMatchObject({ 'x-total-count': '3', 'preference-applied': 'count=exact' });
    const counted = await client.list({ plan: 'pro', age: '1' }, { prefer: 'count=exact' });
    expect(counted.headers).toMatchObject({ 'x-total-count': '0' });
    const uncounted = await client.list({ plan: 'pro', q: 'ada' }, { prefer: 'count=exact' });
    expect(uncounted.headers).not.toHaveProperty('preference-applied');
    expect((await client.list({ plan: 'pro' })).headers).not.toHaveProperty('x-total-count');
  });

  test.each(['COUNT = exact ; foo', 'a=b,count=exact', ' count="exact"'])(
    'Prefer: %s asks for a count',
    async (prefer) => {
      expect((await client.list({ plan: 'pro' }, { prefer })).headers).toMatchObject({
        'preference-applied': 'count=exact',
      });
    },
  );

  test.each([
    'count',
    'discount=exact',
    'counts=exact',
    'count=inexact',
    'count=exactly',
    'count=planned',
    'count=exact x',
  ])('Prefer: %s asks for none', async (prefer) => {
    const { headers } = await client.list({ plan: 'pro' }, { prefer });
    expect(headers).not.toHaveProperty('preference-applied');
  });

  test('a page number beside filters is rejected, and all of them are named', async () => {
    const response = await bare.list({ plan: 'pro', tags: 'x', page: '1' });
    expect(parseError(response).issues).toEqual([
      { path: ['page'], message: 'cannot be combined with plan, tags; use after' },
    ]);
  });
});

test('the last page of /v1/users has no next link, even if it is full', async () => {
  await removeAll();
  for (const name of ['A', 'B']) await create({ name, plan: 'pro' });
  for (const query of [{ plan: 'pro' }, { sort: 'name' }] as Record<string, string>[]) {
    expect(parseLinks(await bare.list({ ...query, limit: '1' })).next).toBeDefined();
    expect(parseLinks(await bare.list({ ...query, limit: '2' })).next).toBeUndefined();
  }
});

test.each(['asc', 'desc'])('links lead through a sorted list to users without a value, order %s', async (order) => {
  await removeAll();
  for (const age of [2, undefined, 1, undefined]) await create({ name: `${age}`, age });
  const found: string[] = [];
  let next: Record<string, string> | undefined = { sort: 'age', order, limit: '1' };
  while (next) {
    const response = await bare.list(next);
    found.push(...listNames(readList(response)));
    next = parseLinks(response).next?.query;
  }
  const values = order === 'asc' ? ['1', '2'] : ['2', '1'];
  expect(found).toEqual([...values, 'undefined', 'undefined']);
});

test('GraphQL lists users by filter, sort and search', async () => {
  await removeAll();
  for (const [name, age] of [
    ['Ada', 2],
    ['Bea', 1],
    ['Ann', undefined],
  ] as const)
    await create({ name, plan: 'pro', age });
  type Data = { users: { nodes?: unknown; edges: { node: { name: string } }[]; totalCount: number | null } };
  const list = async (args: string) => {
    const { data, errors } = await execute<Data>(`{ users(${args}) { edges { node { name } } totalCount } }`);
    expect(errors).toBeUndefined();
    return { names: data?.users.edges.map(({ node }) => node.name), count: data?.users.totalCount };
  };
  expect(await list('filter: { plan: "pro" }')).toEqual({ names: ['Ada', 'Bea', 'Ann'], count: 3 });
  expect(await list('filter: { plan: "free" }')).toEqual({ names: [], count: 0 });
  expect(await list('sort: age')).toEqual({ names: ['Bea', 'Ada', 'Ann'], count: 3 });
  expect(await list('sort: age, order: DESC, filter: { plan: "pro" }')).toEqual({
    names: ['Ada', 'Bea', 'Ann'],
    count: 3,
  });
  expect(await list('sort: name, search: "an"')).toEqual({ names: ['Ann'], count: null });
  const { errors } = await execute('{ users(filter: { plan: "gold" }) { totalCount } }');
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', issues: [{ path: ['filter', 'plan'] }] });
});

test('the OpenAPI document describes filters by numbers and booleans without a pattern, which is for texts', () => {
  for (const { path } of clients) {
    const parameters: { name: string; schema: { type?: string; pattern?: string } }[] =
      openApiDocument('1.2.3').paths[path]?.get.parameters;
    const described = parameters.filter(({ schema = {} }) => !['string', undefined].includes(schema.type));
    expect(described.map(({ name }) => name)).toEqual(expect.arrayContaining(['isStaff', 'age']));
    for (const { name, schema } of described)
      expect([name, schema]).toEqual([name, expect.not.objectContaining({ pattern: expect.anything() })]);
  }
});

describe('in a GraphQL request', () => {
  type Data = Record<string, { edges: unknown }>;
  const executeLists = (args: string, count: number) => {
    const lists = Array.from({ length: count }, (_, at) => `a${at}: users(${args}) { edges { node { name } } }`);
    return execute<Data>(`{ ${lists.join(' ')} }`);
  };
  const listOf = (name: string) => ({ edges: [{ node: { name } }] });

  test.each([
    'filter: { plan: "pro", level: 1 }, sort: name',
    'filter: { plan: "pro" }, search: "ada"',
    'filter: { plan: "pro", level: 1 }',
    'filter: { createdAfter: "2000-01-01T00:00:00Z" }, sort: name',
    'search: "ada", sort: name',
  ])('14 lists of users(%s) are answered, and 15 fail before any user is read', async (args) => {
    await removeAll();
    await create({ name: 'Ada', plan: 'pro', level: 1 });
    expect(Object.values((await executeLists(args, 14)).data ?? {})).toEqual(Array(14).fill(listOf('Ada')));
    const requests = vi.spyOn(table, 'send');
    const { data, errors } = await executeLists(args, 15);
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      {
        message: 'The operation reads more than 10000 items; use first to limit its lists, or send several requests',
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    // The lists that have begun stop after their first keys.
    await Promise.allSettled(requests.mock.results.map(({ value }) => value));
    await new Promise(setImmediate);
    expect(requests.mock.calls.filter(([command]) => command instanceof BatchGetCommand)).toEqual([]);
    requests.mockRestore();
  });

  test.each([
    'filter: { plan: "pro" }',
    'filter: { plan: "pro", createdAfter: "2000-01-01T00:00:00Z", createdBefore: "2100-01-01T00:00:00Z" }',
    'filter: { createdAfter: "2000-01-01T00:00:00Z" }',
    'sort: name',
  ])('fifteen lists of users(%s) are answered, because they read only users that they return', async (args) => {
    await removeAll();
    await create({ name: 'Ada', plan: 'pro' });
    expect(Object.values((await executeLists(args, 15)).data ?? {})).toEqual(Array(15).fill(listOf('Ada')));
  });
});
