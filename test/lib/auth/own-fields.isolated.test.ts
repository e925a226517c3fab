import { beforeAll, expect, test, vi } from 'vitest';
import { call } from './apis.ts';
import { issuer, service, startServiceBeforeAll } from './service-with-tokens.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation(() => {});
  vi.stubEnv('AUTH_LIST_SCOPE', 'users:list');
});
startServiceBeforeAll();

const sign = async (scope: string) => `Bearer ${await issuer.sign({ scope })}`;

/** `read`: status with the scope `users:read` alone. `list`: status with `users:list` as well. */
async function getStatuses(query: string, headers = {}): Promise<{ read: number; list: number }> {
  const send = async (scope: string) =>
    (await call(`${service.url}/v1/users${query}`, await sign(scope), { headers })).status;
  return { read: await send('users:read'), list: await send('users:read users:list') };
}

const ID = '01890000-0000-7000-8000-000000000000';

test.each([
  ...['?email=a@example.com', '?nickname=x', '?memberNumber=AB-0042', '?seat=7', '?seat=7&limit=1', '?email='],
  ...[`?id=${ID}`, `?id=${ID}&id=${ID.replace('7', '4')}`],
])('GET %s requires only read', async (query) => {
  expect(await getStatuses(query)).toEqual({ read: 200, list: 200 });
});

test.each([
  '',
  '?limit=1',
  '?q=ada',
  '?order=desc',
  '?page=2',
  `?after=${ID}`,
  '?sort=name',
  '?createdAfter=2026-01-01',
])('GET %s requires list', async (query) => {
  expect(await getStatuses(query)).toEqual({ read: 403, list: 200 });
});

test.each([
  ...['?email=a@example.com&q=ada', '?nickname=x&q=ada', '?plan=pro', '?Email=a@example.com', '?e=a'],
  ...[`?id=${ID}&sort=name`, '?email=a@example.com&createdBefore=2026-01-01', '?email=a@example.com&changedSince=x'],
])('GET %s requires list, because another parameter selects users', async (query) => {
  expect(await getStatuses(query)).toMatchObject({ read: 403 });
});

test('Prefer: count=exact requires list, also with a lookup', async () => {
  expect(await getStatuses(`?id=${ID}`, { prefer: 'count=exact' })).toMatchObject({ read: 403 });
});

test('every parameter that selects users declares its right', async () => {
  const { listQueries } = await import('../../../lib/rest/queries.ts');
  const rights = Object.fromEntries(listQueries.map(({ name, right }) => [name, right]));
  expect(rights).toEqual({
    ...{ id: 'read', email: 'read', nickname: 'read', memberNumber: 'read', seat: 'read' },
    ...{ q: 'list', createdAfter: 'list', createdBefore: 'list', changedSince: 'list', sort: 'list' },
  });
});

test.each(['nickname: "x"', 'memberNumber: "AB-0042"', 'seat: 7'])(
  'GraphQL by %s needs only read',
  async (argument) => {
    const name = `userBy${argument.charAt(0).toUpperCase()}${argument.slice(1).split(':')[0]}`;
    const send = async (scope: string) =>
      call(`${service.url}/graphql`, await sign(scope), { body: { query: `{ ${name}(${argument}) { id } }` } });
    expect(await send('users:read')).toMatchObject({ status: 200, body: { data: { [name]: null } } });
    expect(await send('users:write users:list users:history users:erase')).toMatchObject({ status: 403 });
  },
);
