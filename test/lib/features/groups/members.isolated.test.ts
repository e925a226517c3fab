import { describe, expect, test, vi } from 'vitest';
import { table } from '../../../../lib/dynamodb/client.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { createUser, execute, fetchData, getErrorCode, mutate as mutateUser } from '../../graphql/client.ts';
import { logWrite } from '../../on-change/log-write.ts';
import { createGroup, listMembers, mutate, readGroup, readMember } from './client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

const getDetails = ({ errors }: { errors?: { extensions: object }[] }) => errors?.[0]?.extensions;

describe('addMember', () => {
  test('adds the user with the default role, and changes neither the group nor, if repeated, the user', async () => {
    const [group, user] = [await createGroup(), await createUser()];
    const input = { groupId: group.id, userId: user.id };
    const { payload } = await mutate('addMember', input);
    const groups = [{ groupId: group.id, role: 'member', group: { id: group.id, name: group.name } }];
    expect(payload?.user).toEqual({ id: user.id, version: 2, groups });
    expect(await readMember(user.id)).toEqual(payload?.user);
    for (const role of [undefined, null, 'member'])
      expect((await mutate('addMember', { ...input, role })).payload?.user).toEqual(payload?.user);
    expect(await readGroup(group.id)).toEqual(group);
    expect(await listMembers(group.id)).toEqual([user.id]);
  });

  test('fails for another role, and changes nothing', async () => {
    const [{ id: groupId }, { id: userId }] = [await createGroup(), await createUser()];
    await mutate('addMember', { groupId, userId, role: 'admin' });
    const response = await mutate('addMember', { groupId, userId });
    expect(getDetails(response)).toMatchObject({ code: 'CONFLICT', reason: 'ALREADY_MEMBER' });
    expect(await readMember(userId)).toMatchObject({ version: 2, groups: [{ role: 'admin' }] });
  });

  test('fails above the limit of groups', async () => {
    const { id: userId } = await createUser();
    const ids = await Promise.all(Array.from({ length: 4 }, async () => (await createGroup()).id));
    const responses = await Promise.all(ids.map((groupId) => mutate('addMember', { groupId, userId })));
    const failed = responses.filter(({ payload }) => !payload);
    expect(failed.map(getDetails)).toMatchObject([{ code: 'BAD_USER_INPUT', issues: [{ path: ['groups'] }] }]);
    expect((await readMember(userId))?.groups).toHaveLength(3);
  });

  test('rejects an unknown role', async () => {
    const response = await mutate('addMember', { groupId: UNKNOWN_ID, userId: UNKNOWN_ID, role: 'guest' });
    expect(getDetails(response)).toMatchObject({ code: 'BAD_USER_INPUT', issues: [{ path: ['role'] }] });
  });
});

describe('updateMember', () => {
  test('changes the role, by which members are listed', async () => {
    const [{ id: groupId }, { id: userId }, { id: other }] = [
      await createGroup(),
      await createUser(),
      await createUser(),
    ];
    await mutate('addMember', { groupId, userId });
    await mutate('addMember', { groupId, userId: other });
    for (let time = 0; time < 2; time++) {
      const { payload } = await mutate('updateMember', { groupId, userId, role: 'admin' });
      expect(payload?.user).toMatchObject({ version: 3, groups: [{ groupId, role: 'admin' }] });
    }
    expect(await listMembers(groupId)).toEqual([userId, other]);
    expect(await listMembers(groupId, '(role: "admin")')).toEqual([userId]);
    expect(await listMembers(groupId, '(role: "member")')).toEqual([other]);
  });

  test('fails for a user who is no member', async () => {
    const [{ id: groupId }, { id: userId }] = [await createGroup(), await createUser()];
    expect(getErrorCode(await mutate('updateMember', { groupId, userId, role: 'admin' }))).toBe('NOT_FOUND');
    expect(await readMember(userId)).toMatchObject({ version: 1, groups: [] });
  });
});

test('removeMember removes the user once, and ignores other users', async () => {
  const [{ id: groupId }, { id: userId }] = [await createGroup(), await createUser()];
  await mutate('addMember', { groupId, userId });
  for (let time = 0; time < 2; time++) {
    const { payload } = await mutate('removeMember', { groupId, userId });
    expect(payload?.user).toEqual({ id: userId, version: 3, groups: [] });
  }
  expect(await listMembers(groupId)).toEqual([]);
  for (const unknown of [UNKNOWN_ID, 'acme'])
    expect((await mutate('removeMember', { groupId: unknown, userId })).payload?.user.version).toBe(3);
});

describe.each(['addMember', 'updateMember', 'removeMember'])('%s', (name) => {
  const role = name === 'removeMember' ? {} : { role: 'admin' };

  test('is NOT_FOUND for an unknown user, and except for removals for an unknown group', async () => {
    const [{ id: groupId }, { id: userId }] = [await createGroup(), await createUser()];
    for (const unknown of [UNKNOWN_ID, 'ada'])
      expect(getErrorCode(await mutate(name, { groupId, userId: unknown, ...role }))).toBe('NOT_FOUND');
    if (name === 'removeMember') return;
    for (const unknown of [UNKNOWN_ID, 'acme'])
      expect(getErrorCode(await mutate(name, { groupId: unknown, userId, ...role }))).toBe('NOT_FOUND');
    expect(await readMember(userId)).toMatchObject({ version: 1 });
  });

  test('checks ifVersion, and accepts ids in upper case', async () => {
    const [{ id: groupId }, { id: userId }] = [await createGroup(), await createUser()];
    if (name !== 'addMember') await mutate('addMember', { groupId, userId });
    const { version = 0 } = (await readMember(userId)) ?? {};
    const input = { groupId: groupId.toUpperCase(), userId: userId.toUpperCase(), ...role };
    const stale = await mutate(name, { ...input, ifVersion: version - 1 });
    expect(getDetails(stale)).toMatchObject({ code: 'PRECONDITION_FAILED', version });
    expect((await mutate(name, { ...input, ifVersion: version })).payload?.user.version).toBe(version + 1);
  });
});

test('100 people join a group at once, with one transaction each and no write of the group', async () => {
  const group = await createGroup();
  const users = await Promise.all(Array.from({ length: 100 }, () => createUser()));
  const send = vi.spyOn(table, 'send');
  const responses = await Promise.all(users.map(({ id }) => mutate('addMember', { groupId: group.id, userId: id })));
  expect(responses.map(({ payload }) => payload?.user.version)).toEqual(users.map(() => 2));
  const sent = send.mock.calls.map(([command]) => command.constructor.name);
  send.mockRestore();
  expect(sent.filter((name) => name === 'TransactWriteCommand')).toHaveLength(users.length);
  expect(await listMembers(group.id, '(first: 100)')).toEqual(users.map(({ id }) => id).toSorted());
  expect(await readGroup(group.id)).toEqual(group);
});

test('20 clients that add and remove the same person leave entries that equal the memberships', async () => {
  const [{ id: groupId }, { id: userId }] = [await createGroup(), await createUser()];
  const names = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'addMember' : 'removeMember'));
  const responses = await Promise.all(names.map((name) => mutate(name, { groupId, userId })));
  for (const response of responses) if (!response.payload) expect(getErrorCode(response)).toBe('CONFLICT');
  const user = await readMember(userId);
  expect(await listMembers(groupId)).toEqual(user?.groups.length === 1 ? [userId] : []);
  // Each version adds or removes the membership.
  expect(((user?.version ?? 0) - 1) % 2).toBe(user?.groups.length);
});

describe('User.groups', () => {
  test('reads the groups of all users in one batch', async () => {
    const [one, two] = [await createGroup({ name: 'One' }), await createGroup({ name: 'Two' })];
    const users = [await createUser(), await createUser(), await createUser()];
    for (const { id } of users) await mutate('addMember', { groupId: one.id, userId: id });
    await mutate('addMember', { groupId: two.id, userId: users[1]?.id });
    const send = vi.spyOn(table, 'send');
    const data = await fetchData('query ($ids: [ID!]!) { usersByIds(ids: $ids) { groups { role group { name } } } }', {
      ids: users.map(({ id }) => id),
    });
    const requests = send.mock.calls.length;
    send.mockRestore();
    const member = (name: string) => ({ role: 'member', group: { name } });
    expect(data).toEqual({
      usersByIds: [
        { groups: [member('One')] },
        { groups: [member('One'), member('Two')] },
        { groups: [member('One')] },
      ],
    });
    expect(requests).toBe(2);
  });

  test('can be written with the user', async () => {
    const { id } = await createGroup();
    const input = { name: 'Ada', email: `${id}@example.com`, groups: [{ id, role: 'admin' }] };
    const { payload } = await mutateUser('createUser', input);
    const userId = payload?.user.id ?? '';
    expect(await readMember(userId)).toMatchObject({ groups: [{ groupId: id, role: 'admin' }] });
  });
});

describe('Group.members', () => {
  test('pages through members, with their count, and combines with filters', async () => {
    const { id: groupId } = await createGroup();
    const users = [await createUser(), await createUser(), await createUser()];
    for (const { id } of users) await mutate('addMember', { groupId, userId: id });
    const read = (args: string) =>
      fetchData<{
        group: { members: { nodes: { id: string }[]; totalCount: number; pageInfo: { endCursor: string } } };
      }>(`{ group(id: "${groupId}") { members(${args}) { nodes { id } totalCount pageInfo { endCursor } } } }`);
    const { members } = (await read('first: 2')).group;
    expect(members.nodes).toEqual(users.slice(0, 2).map(({ id }) => ({ id })));
    expect(members.totalCount).toBe(3);
    const next = (await read(`first: 2, after: "${members.pageInfo.endCursor}"`)).group.members;
    expect(next.nodes).toEqual([{ id: users[2]?.id }]);
    const later = await read('filter: { createdAfter: "2100-01-01T00:00:00Z" }');
    expect(later.group.members.nodes).toEqual([]);
  });

  test.each(['filter: { group: "x" }', 'filter: { role: "admin" }', 'role: "guest"', 'first: 101', 'after: "x"'])(
    'rejects %s',
    async (args) => {
      const { id } = await createGroup();
      const response = await execute(`{ group(id: "${id}") { members(${args}) { nodes { id } } } }`);
      expect(getErrorCode(response)).toBe('BAD_USER_INPUT');
    },
  );
});

test('a history names the group as it is called now, and only its id after its deletion', async () => {
  const [{ id: groupId }, { id: userId }] = [await createGroup({ name: 'Former' }), await createUser()];
  await logWrite(userKey(userId), () => mutate('addMember', { groupId, userId }));
  await mutate('updateGroup', { id: groupId, name: 'Current' });
  const readHistory = async () => {
    const document = `query ($id: ID!) { userHistory(id: $id, first: 1) { nodes {
      changed before { groups { groupId } } after { groups { groupId role group { name } } } } } }`;
    return (await fetchData<{ userHistory: { nodes: object[] } }>(document, { id: userId })).userHistory.nodes;
  };
  const membership = { groupId, role: 'member', group: { name: 'Current' } };
  expect(await readHistory()).toEqual([
    { changed: ['groups'], before: { groups: [] }, after: { groups: [membership] } },
  ]);
  await mutate('deleteGroup', { id: groupId, removeMembers: true });
  expect(await readMember(userId)).toMatchObject({ groups: [] });
  expect(await readHistory()).toMatchObject([{ after: { groups: [{ ...membership, group: null }] } }]);
});
