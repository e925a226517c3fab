import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test, vi } from 'vitest';
import { openApiDocument } from '../../../../infra/openapi/document.ts';
import { getItems } from '../../../../lib/dynamodb/batch.ts';
import { table } from '../../../../lib/dynamodb/client.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { tally } from '../../../setup/tally.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { execute } from '../../graphql/client.ts';
import { bare, clients, parseError, type Response } from '../../rest/client.ts';
import { markDeleted, storeGroup } from './stored-groups.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

type Shown = { id: string; name: string; groups: { id: string; role: string }[] };

const readUser = ({ json }: Response): Shown => {
  const { data = json } = json as { data?: unknown };
  return data as Shown;
};
const readList = (response: Response) => readUser(response) as unknown as Shown[];

async function create(values: Record<string, unknown> = {}): Promise<Shown> {
  const response = await bare.create({ ...newPerson(), ...values });
  expect(response.status).toBe(201);
  return readUser(response);
}

describe.each(clients)('$path', (client) => {
  test('POST, PUT and PATCH store memberships, and each of them replaces the list', async () => {
    const [one, other] = [await storeGroup(), await storeGroup()];
    const person = newPerson();
    const created = readUser(
      await client.create({ ...person, groups: [{ id: one }, { id: other.toUpperCase(), role: 'admin' }] }),
    );
    expect(created.groups).toEqual([
      { id: one, role: 'member' },
      { id: other, role: 'admin' },
    ]);
    const patched = readUser(await client.update(created.id, { groups: [{ id: other, role: 'owner' }] }));
    expect(patched.groups).toEqual([{ id: other, role: 'owner' }]);
    expect(readUser(await client.update(created.id, { name: 'B' })).groups).toEqual(patched.groups);
    expect(readUser(await client.replace(created.id, { ...person, groups: [{ id: one }] })).groups).toHaveLength(1);
    expect(readUser(await client.replace(created.id, person)).groups).toEqual([]);
    expect(readUser(await client.get(created.id)).groups).toEqual([]);
  });

  test('null and [] are no memberships, so that neither changes a user without groups', async () => {
    const { id } = await create();
    const { etag } = (await client.get(id)).headers;
    for (const groups of [null, []]) expect((await client.update(id, { groups })).headers.etag).toBe(etag);
    for (const groups of [null, []]) {
      const created = await client.create({ ...newPerson(), groups });
      expect([created.status, readUser(created).groups]).toEqual([201, []]);
    }
  });

  test.each([
    [{ groups: 'x' }, 'groups: must be a list'],
    [{ groups: [{ id: 'x' }] }, 'groups.0.id: must be the id of a group'],
    [{ groups: [{ role: 'member' }] }, 'groups.0.id: is required'],
    [{ groups: [{ id: uuidv7(), role: 'boss' }] }, 'groups.0.role: must be one of member, admin, owner'],
    [{ groups: [{ id: uuidv7(), role: null }] }, 'groups.0.role: must be one of member, admin, owner'],
    [{ groups: [{ id: uuidv7(), name: 'Acme' }] }, 'groups.0.name: is not a known member'],
    [{ groups: [1, 2, 3, 4].map(() => ({ id: uuidv7() })) }, 'groups: must have at most 3 items'],
    [
      { groups: ['MEMBER', 'member'].map(() => ({ id: '01990f6e-3c5a-7d21-8b4e-5f0c9a7d1e23' })) },
      'groups: must not repeat a group',
    ],
  ])('rejects %j', async (values, message) => {
    const response = await client.create({ ...newPerson(), ...values });
    expect([response.status, parseError(response).error]).toEqual([400, message]);
  });

  test('rejects a group that does not exist, or that is being deleted, with its id', async () => {
    const [unknown, deleted] = [uuidv7(), await storeGroup()];
    await markDeleted(deleted);
    const { id } = await create();
    for (const group of [unknown, deleted]) {
      const responses = [
        await client.create({ ...newPerson(), groups: [{ id: group }] }),
        await client.update(id, { groups: [{ id: group }] }),
        await client.replace(id, { ...newPerson(), groups: [{ id: group }] }),
      ];
      for (const response of responses)
        expect([response.status, parseError(response).error]).toEqual([
          400,
          `groups: the group ${group} does not exist`,
        ]);
    }
  });

  test('group and role list members in creation order, and combine with other conditions', async () => {
    const [group, other] = [await storeGroup(), await storeGroup()];
    const add = (name: string, role: string, values: object = {}) =>
      create({ name, groups: [{ id: other }, { id: group, role }], ...values });
    await add('Ann', 'member', { plan: 'pro' });
    await add('Bea', 'admin', { plan: 'pro' });
    const c = await add('Cid', 'owner');
    await add('Dan', 'member');
    await create({ name: 'Eve', groups: [{ id: other, role: 'admin' }], plan: 'pro' });
    const list = async (query: Record<string, string>) =>
      readList(await client.list({ group, ...query })).map(({ name }) => name);
    expect(await list({})).toEqual(['Ann', 'Bea', 'Cid', 'Dan']);
    expect(await list({ order: 'desc' })).toEqual(['Dan', 'Cid', 'Bea', 'Ann']);
    expect(await list({ role: 'member' })).toEqual(['Ann', 'Dan']);
    expect(await list({ role: 'admin' })).toEqual(['Bea']);
    expect(await list({ group: group.toUpperCase(), role: 'owner' })).toEqual(['Cid']);
    expect(await list({ plan: 'pro' })).toEqual(['Ann', 'Bea']);
    expect(await list({ plan: 'pro', role: 'admin' })).toEqual(['Bea']);
    expect(await list({ sort: 'name', order: 'desc' })).toEqual(['Dan', 'Cid', 'Bea', 'Ann']);
    expect(await list({ q: 'ci' })).toEqual(['Cid']);
    expect(await list({ q: 'ev' })).toEqual([]);
    expect(await list({ id: c.id, role: 'owner' })).toEqual(['Cid']);
    expect(await list({ id: c.id, role: 'member' })).toEqual([]);
    expect(await list({ group: uuidv7() })).toEqual([]);
    const counted = await client.list({ group, plan: 'pro' }, { prefer: 'count=exact' });
    expect(counted.headers['x-total-count']).toBe('2');
    expect((await client.list({ group }, { prefer: 'count=exact' })).headers['x-total-count']).toBe('4');
    expect((await client.list({ group, role: 'admin' }, { prefer: 'count=exact' })).headers['x-total-count']).toBe('1');
  });

  test.each([
    [{ role: 'admin' }, 'role: requires group'],
    [{ group: 'x' }, 'group: must be the id of a group'],
    [{ group: uuidv7(), role: 'boss' }, 'role: must be one of member, admin, owner'],
  ])('the list rejects %j', async (query, message) => {
    const response = await client.list(query as Record<string, string>);
    expect([response.status, parseError(response).error]).toEqual([400, message]);
  });
});

test('a list of members continues by its link', async () => {
  const group = await storeGroup();
  for (const name of ['A', 'B', 'C'])
    await create({ name, groups: [{ id: group, role: name === 'B' ? 'admin' : 'member' }] });
  const first = await bare.list({ group, limit: '2' });
  expect(first.headers.link).toContain(`group=${group}`);
  const after = readList(first).at(-1)?.id ?? '';
  expect(readList(await bare.list({ group, limit: '2', after })).map(({ name }) => name)).toEqual(['C']);
});

test('a user has one entry per membership, which changes with the role', async () => {
  const group = await storeGroup();
  const { id } = await create({ groups: [{ id: group, role: 'admin' }] });
  const read = async () => {
    const keys = ['', '&role=admin', '&role=owner'].map((role) => ({ pk: `LIST#group=${group}${role}`, sk: id }));
    return (await getItems(keys, { ConsistentRead: true })).map(({ pk }) => pk.replace(group, 'G'));
  };
  expect(await read()).toEqual(['LIST#group=G&role=admin']);
  await bare.update(id, { groups: [{ id: group }] });
  expect(await read()).toEqual(['LIST#group=G']);
  await bare.update(id, { groups: [] });
  expect(await read()).toEqual([]);
});

test('20 users join one group at once, each with one transaction', async () => {
  const group = await storeGroup();
  const users = await Promise.all(Array.from({ length: 20 }, () => create()));
  const requests = vi.spyOn(table, 'send');
  const responses = await Promise.all(users.map(({ id }) => bare.update(id, { groups: [{ id: group }] })));
  const names = requests.mock.calls.map(([command]) => command.constructor.name);
  requests.mockRestore();
  expect(tally(responses)).toEqual({ 200: 20 });
  expect(names.filter((name) => name === 'TransactWriteCommand')).toHaveLength(20);
  expect(readList(await bare.list({ group }))).toHaveLength(20);
});

test('a write reads only groups that it adds', async () => {
  const [one, other] = [await storeGroup(), await storeGroup()];
  const { id } = await create({ groups: [{ id: one }] });
  const requests = vi.spyOn(table, 'send');
  const countReads = () =>
    requests.mock.calls.filter(([command]) => command.constructor.name === 'BatchGetCommand').length;
  await bare.update(id, { name: 'B' });
  await bare.update(id, { groups: [{ id: one, role: 'admin' }] });
  expect(countReads()).toBe(0);
  await bare.update(id, { groups: [{ id: one }, { id: other }] });
  expect(countReads()).toBe(1);
  requests.mockRestore();
});

test('each attempt reads the groups again, so that a retry adds no group that was deleted meanwhile', async () => {
  const group = await storeGroup();
  const { id } = await create();
  const send = table.send.bind(table);
  const [reached, changed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let isFirst = true;
  const requests = vi.spyOn(table, 'send').mockImplementation(async (command) => {
    if (command.constructor.name === 'TransactWriteCommand' && isFirst) {
      isFirst = false;
      reached.resolve();
      await changed.promise;
    }
    return send(command as never);
  });
  const writing = bare.update(id, { groups: [{ id: group }] });
  await reached.promise;
  await markDeleted(group);
  await bare.update(id, { name: 'Changed by another request' });
  changed.resolve();
  const response = await writing;
  requests.mockRestore();
  expect([response.status, parseError(response).error]).toEqual([400, `groups: the group ${group} does not exist`]);
  expect(readUser(await bare.get(id))).toMatchObject({ name: 'Changed by another request', groups: [] });
});

test('a repeated creation returns the first response, even if the group was deleted meanwhile', async () => {
  const group = await storeGroup();
  const body = { ...newPerson(), groups: [{ id: group }] };
  const headers = { 'idempotency-key': uuidv7() };
  const first = await bare.create(body, headers);
  await markDeleted(group);
  const second = await bare.create(body, headers);
  expect([second.status, second.headers['idempotency-replayed']]).toEqual([201, 'true']);
  expect(readUser(second).id).toBe(readUser(first).id);
  const changed = await bare.create({ ...body, name: 'Another' }, headers);
  expect(changed.status).toBe(422);
  expect((await bare.create(body, { 'idempotency-key': uuidv7() })).status).toBe(400);
});

test('reads leave out a deleted group at once, and its list is empty', async () => {
  const [group, kept] = [await storeGroup(), await storeGroup()];
  const { id } = await create({ groups: [{ id: group }, { id: kept }] });
  const { etag } = (await bare.get(id)).headers;
  await markDeleted(group);
  const shown = await bare.get(id);
  expect(readUser(shown).groups).toEqual([{ id: kept, role: 'member' }]);
  expect(shown.headers.etag).not.toBe(etag);
  expect(readList(await bare.list({ group: kept }))[0]?.groups).toEqual([{ id: kept, role: 'member' }]);
  const members = await bare.list({ group }, { prefer: 'count=exact' });
  expect([readList(members), members.headers['x-total-count']]).toEqual([[], '0']);
  // A client that read the user before can still send the list.
  const patched = await bare.update(
    id,
    { name: 'B', groups: [{ id: group }, { id: kept }] },
    { 'if-match': String(etag) },
  );
  expect(readUser(patched).groups).toEqual([{ id: kept, role: 'member' }]);
});

test('GraphQL inputs take memberships, and the filter finds members', async () => {
  const group = await storeGroup();
  const created = await execute(`mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }`, {
    input: { ...newPerson(), groups: [{ id: group, role: null }] },
  });
  const { id } = (created.data as { createUser: { user: { id: string } } }).createUser.user;
  expect(readUser(await bare.get(id)).groups).toEqual([{ id: group, role: 'member' }]);
  const update = (groups: unknown) =>
    execute(`mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { id } } }`, {
      input: { id, groups },
    });
  await update([{ id: group, role: 'admin' }]);
  const list = (filter: object) =>
    execute(`query ($filter: UserFilter) { users(filter: $filter) { nodes { id } totalCount } }`, { filter });
  expect((await list({ group })).data).toEqual({ users: { nodes: [{ id }], totalCount: 1 } });
  expect((await list({ group, role: 'admin' })).data).toEqual({ users: { nodes: [{ id }], totalCount: 1 } });
  expect((await list({ group, role: 'member' })).data).toEqual({ users: { nodes: [], totalCount: 0 } });
  expect((await list({ role: 'member' })).errors?.[0]).toMatchObject({
    extensions: { code: 'BAD_USER_INPUT', issues: [{ path: ['filter', 'role'], message: 'requires group' }] },
  });
  const missing = uuidv7();
  expect((await update([{ id: missing }])).errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    issues: [{ path: ['groups'], message: `the group ${missing} does not exist` }],
  });
  await update(null);
  expect(readUser(await bare.get(id)).groups).toEqual([]);
});

test('a stored role that is no longer declared reads as the first role', async () => {
  const { parseUser } = await import('../../../../lib/users/user.ts');
  const { listMembershipEntries } = await import('../../../../lib/features/groups/membership-entries.ts');
  const group = uuidv7();
  const [item] = await getItems([userKey((await create()).id)]);
  const user = parseUser({ ...item, fields: { groups: [{ id: group, role: 'boss' }] } });
  expect(user.own.groups).toEqual([{ id: group, role: 'member' }]);
  expect(listMembershipEntries(user)).toEqual([{ key: { pk: `LIST#group=${group}`, sk: user.id } }]);
});

test('a damaged list of memberships reads as none', async () => {
  const { parseUser } = await import('../../../../lib/users/user.ts');
  const [item] = await getItems([userKey((await create()).id)]);
  for (const groups of ['x', [{ id: 1, role: 'member' }], [null], { id: uuidv7() }])
    expect(parseUser({ ...item, fields: { groups } }).own.groups).toEqual([]);
});

test('the OpenAPI document describes memberships and the parameters of lists', () => {
  type List = { items: { required: string[] } };
  const { components, paths } = openApiDocument('1.0.0') as unknown as {
    components: {
      schemas: Record<string, { properties: Record<string, List & { anyOf: List[] }>; required: string[] }>;
    };
    paths: Record<string, { get: { parameters: { name: string }[] } }>;
  };
  const { User, UserInput } = components.schemas;
  expect(User?.properties.groups?.items.required).toEqual(['id', 'role']);
  expect(User?.required).toContain('groups');
  expect(UserInput?.properties.groups?.anyOf[0]?.items.required).toEqual(['id']);
  expect(UserInput?.required).not.toContain('groups');
  const names = paths['/v1/users']?.get.parameters.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['group', 'role']));
});

test('the command for client types prints the type of memberships', async () => {
  const { main } = await import('../../../../lib/client/types-command.ts');
  const folder = mkdtempSync(join(tmpdir(), 'types-'));
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(openApiDocument('1.0.0')));
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await main([file]);
  const [[printed] = []] = write.mock.calls;
  write.mockRestore();
  rmSync(folder, { recursive: true });
  expect(printed).toContain(`groups?: Array<{ id: string; role: "member" | "admin" | "owner" }>;`);
});
