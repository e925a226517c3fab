import { afterAll, beforeAll, expect, expectTypeOf, test, vi } from 'vitest';
import { type Client, createClient, isInvalid, type UserQuery } from '../../../lib/client/client.ts';
import { type Service, startServiceHere } from '../../setup/service.ts';
import { newPerson } from '../../setup/test-data.ts';

type Fields = { plan?: 'free' | 'pro' | 'team'; tags?: string[]; age?: number; isStaff?: boolean };

// Hoisted: the service reads FIELDS_FILE on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/listed-fields.json';
});

let service: Service;
let users: Client<Fields>['users'];

beforeAll(async () => {
  service = await startServiceHere();
  users = createClient<Fields>({ baseUrl: service.url, graphqlUrl: `${service.url}/graphql`, fields: ['plan'] }).users;
  const people = [
    { name: 'Ada King', plan: 'pro', tags: ['beta'], age: 36 },
    { name: 'Bea King', plan: 'pro', age: 20 },
    { name: 'Cy Young', tags: ['beta', 'vip'] },
  ] as const;
  for (const { ...person } of people)
    await users.create({ ...newPerson(), ...person, tags: 'tags' in person ? [...person.tags] : [] });
});
afterAll(() => service.stop());

async function list(query: UserQuery<Fields>, pageSize = 1): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of users.list({ ...query, pageSize })) names.push(name);
  return names;
}

test('lists users by a filter, over several pages', async () => {
  expect(await list({ filter: { plan: 'pro' } })).toEqual(['Ada King', 'Bea King']);
  expect(await list({ filter: { tags: 'beta' }, order: 'desc' })).toEqual(['Cy Young', 'Ada King']);
  // Later than all ids: after tests with another clock, uuid continues with ids of that time.
  expect(await list({ filter: { plan: 'pro', createdAfter: '2100-01-01T00:00:00Z' } })).toEqual([]);
});

test('finds users with any of several values, and in a range', async () => {
  expect(await list({ filter: { tags: ['beta', 'vip'], 'age.exists': false } })).toEqual(['Cy Young']);
  expect(await list({ filter: { 'age.gte': 20, 'age.lt': 36 } })).toEqual(['Bea King']);
  expect(await users.count({ plan: ['pro'], 'age.gt': 20 })).toBe(1);
  await expect(list({ filter: { tags: [] } })).rejects.toSatisfy(isInvalid);
});

test('sorts users, those without a value last', async () => {
  expect(await list({ sort: 'age' })).toEqual(['Bea King', 'Ada King', 'Cy Young']);
  expect(await list({ sort: 'name', order: 'desc' })).toEqual(['Cy Young', 'Bea King', 'Ada King']);
});

/** Options of callers without types. */
const untyped = (options: object): object => options;

test.each<[string, (client: Client<Fields>) => Promise<unknown>]>([
  ['filter', ({ users }) => users.page(untyped({ filter: { plan: 'pro' } }))],
  ['search', ({ users }) => users.page(untyped({ search: 'king' }))],
  ['plan', ({ users }) => Array.fromAsync(users.list(untyped({ plan: 'pro' })))],
  ['page', ({ users }) => users.listPage(untyped({ page: 2 }))],
  ['filter', ({ users }) => Array.fromAsync(users.search('king', untyped({ filter: { plan: 'pro' } })))],
  ['filter', ({ users }) => users.searchPage('king', untyped({ filter: { plan: 'pro' } }))],
  ['limit', ({ users }) => users.count({ plan: 'pro' }, untyped({ limit: 5 }))],
  ['ifVersion', ({ users }) => users.create(newPerson(), untyped({ ifVersion: 1 }))],
  ['ifVersion', ({ users }) => users.update('x', { name: 'Ada' }, untyped({ ifVersion: 1 }))],
  ['ifVersion', ({ users }) => users.delete('x', untyped({ ifVersion: 1 }))],
  ['only', ({ users }) => users.upsert({ email: 'a@b.example' }, { name: 'Ada' }, untyped({ only: 'update' }))],
  ['filter', ({ groups }) => Array.fromAsync(groups.list(untyped({ filter: { name: 'Acme' } })))],
  ['externalId', ({ groups }) => groups.page(untyped({ externalId: 'org_17' }))],
  ['ifVersion', ({ groups }) => groups.delete('x', untyped({ ifVersion: 1 }))],
  ['filter', ({ myGroup }) => Array.fromAsync(myGroup.list(untyped({ filter: { role: 'admin' } })))],
  ['limit', ({ myGroup }) => Array.fromAsync(myGroup.list(untyped({ limit: 5 })))],
  ['id', ({ changes }) => changes(untyped({ id: 'x' })).next()],
  ['user', ({ users }) => users.changesSince(undefined, untyped({ user: 'x' })).next()],
  ['limit', ({ users }) => users.history('x', untyped({ limit: 5 })).next()],
  ['pageSize', ({ users }) => users.historyPage('x', untyped({ pageSize: 5 }))],
  ['filter', ({ users }) => users.deleted(untyped({ filter: { name: 'Ada' } })).next()],
  ['filter', ({ users }) => users.deletedPage(untyped({ filter: { name: 'Ada' } }))],
  ['published', ({ posts }) => posts.list('x', untyped({ published: true })).next()],
  ['pageSize', ({ posts }) => posts.page('x', untyped({ pageSize: 5 }))],
])('the unknown option %s is an error, and sends nothing', async (name, call) => {
  const send = vi.fn<typeof fetch>();
  const calling = (async () => call(createClient<Fields>({ baseUrl: '', fields: ['plan'], fetch: send })))();
  await expect(calling).rejects.toMatchObject({ code: 'BAD_USER_INPUT', issues: [{ path: [name] }] });
  expect(send).not.toHaveBeenCalled();
});

test('combines a search with a filter', async () => {
  expect(await list({ search: 'king', filter: { tags: 'beta' } })).toEqual(['Ada King']);
});

test('reads a list page by page', async () => {
  const first = await users.listPage({ sort: 'name', limit: 2 });
  expect(first.users.map(({ name }) => name)).toEqual(['Ada King', 'Bea King']);
  const second = await users.listPage({ sort: 'name', limit: 2, after: first.next });
  expect(second).toMatchObject({ users: [{ name: 'Cy Young' }], next: undefined });
});

test('reads a shorter page if the response would be too large', async () => {
  const tooLarge = {
    error: 'limit: must be lower',
    code: 'BAD_USER_INPUT',
    issues: [{ path: ['limit'], message: '' }],
  };
  const send = vi.fn<typeof fetch>((url, init) =>
    String(url).includes('limit=4') ? Promise.resolve(Response.json(tooLarge, { status: 400 })) : fetch(url, init),
  );
  const page = await createClient({ baseUrl: service.url, fetch: send }).users.listPage({ sort: 'name', limit: 4 });
  expect(page.users.map(({ name }) => name)).toEqual(['Ada King', 'Bea King']);
  expect(page.next).toBeDefined();
});

test('a page size above the maximum means the maximum', async () => {
  const send = vi.fn<typeof fetch>((url, init) => fetch(url, init));
  const { users } = createClient({ baseUrl: service.url, fetch: send });
  const signal = AbortSignal.timeout(5_000);
  expect(await Array.fromAsync(users.list({ pageSize: Number.POSITIVE_INFINITY, signal }))).toHaveLength(3);
  expect(send.mock.calls.map(([url]) => String(url).split('?')[1])).toEqual([
    'include=times&limit=Infinity',
    'include=times&limit=1000',
  ]);
});

test('a lower page size keeps all values of a filter', async () => {
  const names = await list({ filter: { plan: ['free', 'pro'] } }, 2_000);
  expect(names).toHaveLength(3);
});

test.each([Number.NaN, 0, -1])('a limit of %d is an error', async (limit) => {
  const page = users.listPage({ limit, signal: AbortSignal.timeout(5_000) });
  await expect(page).rejects.toSatisfy(isInvalid);
});

test('counts all users, and those of filters', async () => {
  expect(await users.count()).toBe(3);
  expect(await users.count({ plan: 'pro' })).toBe(2);
  expect(await users.count({ plan: 'pro', tags: 'beta' })).toBe(1);
});

test('a filter without a value is an error, not a list of all users', async () => {
  const error = await list({ filter: { plan: undefined as unknown as 'pro' } }).catch((error: unknown) => error);
  expect(isInvalid(error) && error.issues).toEqual([{ path: ['plan'], message: 'must have a value' }]);
});

test('the types contain the filter fields', () => {
  expectTypeOf<NonNullable<UserQuery<Fields>['filter']>['tags']>().toEqualTypeOf<
    string | readonly string[] | undefined
  >();
  expectTypeOf<NonNullable<UserQuery<Fields>['sort']>>().toEqualTypeOf<'name' | keyof Fields>();
});
