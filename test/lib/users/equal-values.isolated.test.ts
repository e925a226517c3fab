import { describe, expect, test, vi } from 'vitest';
import { getItems } from '../../../lib/dynamodb/batch.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';
import { newPerson } from '../../setup/test-data.ts';
import { execute } from '../graphql/client.ts';
import { bare, enveloped, type Headers, type RestClient } from '../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/json-own-fields.json';
});

const readItem = async (id: string) => (await getItems([userKey(id)], { ConsistentRead: true }))[0];

const MERGE = { 'content-type': 'application/merge-patch+json' };
const SETTINGS = { theme: 'dark', sizes: [{ width: 1, height: 2 }] };
const REORDERED = { sizes: [{ height: 2, width: 1 }], theme: 'dark' };

type User = Record<string, unknown> & { id: string };
type Write = (client: RestClient, user: User, headers?: Headers) => ReturnType<RestClient['get']>;

/** `choices` has a default, and `more` has no value. */
const writes: [string, Write][] = [
  ['PATCH of the name', (client, { id, name }, headers) => client.update(id, { name }, headers)],
  ['PATCH of a name with spaces', (client, { id, name }, headers) => client.update(id, { name: ` ${name} ` }, headers)],
  ['PATCH of the email', (client, { id, email }, headers) => client.update(id, { email }, headers)],
  ['PATCH of everything', (client, user, headers) => client.update(user.id, user, headers)],
  ['PATCH of JSON in another order', (client, { id }, headers) => client.update(id, { settings: REORDERED }, headers)],
  ['PATCH of a default', (client, { id, choices }, headers) => client.update(id, { choices }, headers)],
  ['PATCH of a missing value to null', (client, { id }, headers) => client.update(id, { more: null }, headers)],
  [
    'merge patch',
    (client, { id }, headers) =>
      client.update(id, { settings: { theme: 'dark', none: null } }, { ...MERGE, ...headers }),
  ],
  ['PUT of the body of GET', (client, user, headers) => client.replace(user.id, user, headers)],
  [
    'PUT without optional members',
    (client, { choices: _, ...user }, headers) => client.replace(user.id, user, headers),
  ],
];

async function createUser(): Promise<User> {
  const { json } = await bare.create({ ...newPerson(), settings: SETTINGS, notes: 'one\ntwo' });
  return json as User;
}

describe.each(writes.map(([name, write], at) => [name, write, at % 2 ? bare : enveloped] as const))(
  '%s with equal values',
  (_, write, client) => {
    test('writes nothing and keeps the ETag', async () => {
      const user = await createUser();
      const [item, before] = [await readItem(user.id), await client.get(user.id)];
      const { status, json, headers } = await write(client, user);
      expect({ status, json }).toEqual({ status: 200, json: before.json });
      expect(headers).toMatchObject({ etag: before.headers.etag, 'last-modified': before.headers['last-modified'] });
      expect(await readItem(user.id)).toEqual(item);
    });

    test('still checks conditions', async () => {
      const user = await createUser();
      for (const [headers, status] of [
        [{ 'if-match': '"1"' }, 200],
        [{ 'if-match': '"2"' }, 412],
      ] as const)
        expect([headers, (await write(client, user, headers)).status]).toEqual([headers, status]);
    });
  },
);

test.each(['updateUser', 'replaceUser'])('%s with equal values writes nothing, but checks ifVersion', async (field) => {
  const { id, name, email } = await createUser();
  const item = await readItem(id);
  const type = field === 'updateUser' ? 'UpdateUserInput' : 'ReplaceUserInput';
  const mutation = `mutation ($input: ${type}!) { ${field}(input: $input) { user { version updatedAt } } }`;
  const input = { id, name, email, settings: REORDERED, notes: 'one\r\ntwo' };
  for (const ifVersion of [undefined, 1])
    expect((await execute(mutation, { input: { ...input, ifVersion } })).data).toEqual({
      [field]: { user: { version: 1, updatedAt: item?.updatedAt } },
    });
  expect((await execute(mutation, { input: { ...input, ifVersion: 2 } })).errors).toMatchObject([
    { extensions: { code: 'PRECONDITION_FAILED', version: 1 } },
  ]);
  expect(await readItem(id)).toEqual(item);
});

test('updateUsers writes only the users whose values differ', async () => {
  const [one, other] = [await createUser(), await createUser()];
  const users = [
    { id: one.id, name: one.name, settings: REORDERED },
    { id: other.id, name: 'Other' },
    { id: other.id, name: 'Other' },
  ];
  const mutation =
    'mutation ($users: [UpdateUserInput!]!) { updateUsers(input: { users: $users }) { results { user { version } } } }';
  const results = [1, 2, 2].map((version) => ({ user: { version } }));
  expect((await execute(mutation, { users })).data).toEqual({ updateUsers: { results } });
});

test('a value that differs in more than the order of members is written', async () => {
  const { id } = await createUser();
  for (const [at, settings] of [
    { ...SETTINGS, theme: null },
    { ...SETTINGS, sizes: [] },
    [],
    [1, 2],
    [2, 1],
  ].entries()) {
    await bare.update(id, { settings });
    expect(await readItem(id)).toMatchObject({ version: at + 2 });
  }
});

test.each([
  ['name', { name: 'Racer' }],
  ['value without an index', { more: 'text' }],
])('of 8 concurrent updates to one %s, one writes', async (_, body) => {
  const { id } = await createUser();
  const responses = await Promise.all(Array.from({ length: 8 }, () => bare.update(id, body)));
  const item = await readItem(id);
  expect(item).toMatchObject({ version: 2 });
  for (const { status, headers } of responses)
    expect([status, headers.etag]).toEqual([200, responses[0]?.headers.etag]);
});
