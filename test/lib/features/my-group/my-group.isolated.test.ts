import { beforeAll, describe, expect, test, vi } from 'vitest';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';
import { newOperator as createOperator, newPerson } from '../me/person.ts';
import type { Answer, Company } from './companies.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/group-admin-fields.json';
  process.env.GROUP_CLAIM = 'org_id';
  process.env.GROUP_ADMIN_ROLES = 'admin,owner';
});

const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
const { environment } = await import('../../../../lib/environment.ts');
const { groupWritesKey } = await import('../../../../lib/features/groups/keys.ts');
const { findStoredUser } = await import('../../../../lib/users/read.ts');
const { updateUser } = await import('../../../../lib/users/write.ts');
const { listMemberships } = await import('../../../../lib/users/fields/values.ts');
const companies = await import('./companies.ts');
const { CLAIM, createCompany, createMember, createUser, findReason, listIds, listMembers, mutate, readGroup } =
  companies;

const log: string[] = [];

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation((line) => void log.push(JSON.stringify(line)));
});
startServiceBeforeAll();

const createAdministrator = (company: Company, claims: { role?: string; [claim: string]: unknown } = {}) =>
  companies.createAdministrator(service.url, issuer, company, claims);
const newOperator = () => createOperator(service.url, issuer);

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

const readUser = async (id: string) => (await findStoredUser(id))?.user;
const readRoles = async (id: string) => {
  const user = await readUser(id);
  return user && Object.fromEntries(listMemberships(user).map((each) => [each.id, each.role]));
};
const setMemberships = (id: string, groups: { id: string; role: string }[]) =>
  updateUser({ id, groups } as { id: string }, 'operator');

describe('the group of a token', () => {
  test('is the one whose externalId equals the claim', async () => {
    const company = await createCompany();
    for (const role of ['admin', 'owner'])
      expect(await readGroup(await createAdministrator(company, { role }))).toEqual({
        data: { myGroup: { id: company.id, name: 'Acme' } },
      });
  });

  test('is none for claims of other types, other values and other tenants', async () => {
    const [company, other] = [await createCompany(), await createCompany()];
    const { externalId } = company;
    const invalid = [undefined, null, '', ' ', 17, 0, true, {}, [], [externalId], [externalId, 'x'], { externalId }];
    const unknown = [` ${externalId}`, `${externalId} `, externalId?.toUpperCase(), company.id, 'x'.repeat(3000)];
    const odd = ['\ud800', '\u0000', `${externalId}\u0000`, '__proto__', '#', 'a,b'];
    for (const claim of [...invalid, ...unknown, ...odd]) {
      const ada = await createAdministrator(company, { [CLAIM]: claim });
      expect([claim, findReason(await readGroup(ada))]).toEqual([claim, 'NO_GROUP']);
      const added = await mutate(ada, 'add', { name: 'Bob', email: `${ada.subject.slice(6)}@example.com` });
      expect([claim, findReason(added)]).toEqual([claim, 'NO_GROUP']);
    }
    const foreign = await createAdministrator(company, { [CLAIM]: other.externalId });
    expect(await readGroup(foreign)).toMatchObject({
      data: null,
      errors: [{ extensions: { code: 'FORBIDDEN', reason: 'NO_GROUP_ADMIN' } }],
    });
  });

  test('differs between tokens of a person who administers several groups', async () => {
    const [one, two] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(one);
    await setMemberships(
      ada.id,
      [one, two].map(({ id }) => ({ id, role: 'admin' })),
    );
    for (const { id, externalId } of [one, two]) {
      const { createCaller } = await import('../me/person.ts');
      const caller = createCaller(service.url, await ada.sign({ [CLAIM]: externalId }));
      expect(await readGroup(caller)).toMatchObject({ data: { myGroup: { id } } });
    }
  });

  test('requires a person with the scope and an administrator role, who is not blocked', async () => {
    const company = await createCompany();
    const member = await createAdministrator(company, { role: 'member' });
    const stranger = await newPerson(service.url, issuer, { scope: 'users:group', [CLAIM]: company.externalId });
    for (const person of [member, stranger]) {
      expect(findReason(await readGroup(person))).toBe('NO_GROUP_ADMIN');
      expect(findReason(await mutate(person, 'update', { id: member.id, role: 'admin' }))).toBe('NO_GROUP_ADMIN');
    }
    expect(await readRoles(member.id)).toEqual({ [company.id]: 'member' });
    for (const scope of ['users:self', 'users:read users:write users:history users:erase'])
      expect(await readGroup(await createAdministrator(company, { scope, groups: ['users-write'] }))).toMatchObject({
        errors: [{ message: 'This requires the scope users:group', extensions: { code: 'FORBIDDEN' } }],
      });
    expect(findReason(await readGroup(await createAdministrator(company, { gty: 'client-credentials' })))).toBe(
      'NO_PERSON',
    );
    const blocked = await createAdministrator(company);
    await updateUser({ id: blocked.id, status: 'suspended' } as { id: string }, 'operator');
    expect(findReason(await readGroup(blocked))).toBe('BLOCKED');
  });

  test('gives no other right: not to operators’ fields, and not to own records', async () => {
    const ada = await createAdministrator(await createCompany());
    for (const query of [
      '{ users { totalCount } }',
      `{ user(id: "${ada.id}") { name } }`,
      '{ groups { totalCount } }',
      '{ me { id } }',
      `mutation { removeMember(input: { groupId: "${UNKNOWN_ID}", userId: "${ada.id}" }) { user { id } } }`,
    ])
      expect(await ada.graphql(query)).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
    for (const path of ['/v1/users', `/v1/users/${ada.id}`, '/v1/users/me'])
      expect(await ada.send(path)).toMatchObject({ status: 403 });
  });
});

describe('members', () => {
  test('show the visible fields, in creation order, with pages, roles and a count', async () => {
    const [company, other] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(company);
    const bob = await createMember(company, { name: 'Bob' });
    const eve = await createMember(company, { name: 'Eve', role: 'owner' });
    await createMember(other);
    const { nodes, totalCount } = await listMembers(ada);
    expect([nodes.map(({ id }) => id), totalCount]).toEqual([[ada.id, bob.id, eve.id], 3]);
    expect(nodes[1]).toEqual({
      id: bob.id,
      name: 'Bob',
      email: bob.email,
      role: 'member',
      title: null,
      badge: null,
      plan: 'free',
      createdAt: bob.createdAt,
    });
    const first = await listMembers(ada, '(first: 2)');
    expect(first.pageInfo).toEqual({ hasNextPage: true, endCursor: bob.id });
    expect(await listIds(ada, `(first: 2, after: "${bob.id}")`)).toEqual([eve.id]);
    expect(await listIds(ada, '(role: "owner")')).toEqual([eve.id]);
    expect(await listIds(ada, '(role: "member")')).toEqual([bob.id]);
    expect(await readGroup(ada, `member(id: "${bob.id.toUpperCase()}") { name role }`)).toEqual({
      data: { myGroup: { member: { name: 'Bob', role: 'member' } } },
    });
  });

  test('are found by name and address, but not by hidden fields', async () => {
    const [company, other] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(company);
    const found = await createMember(company, { name: 'Grace Hopper' });
    await createMember(other, { name: 'Grace Kelly' });
    await updateUser({ id: found.id, note: 'confidential' } as { id: string }, 'operator');
    for (const search of ['grace', 'hop gra', found.email, found.email.slice(0, 9)])
      expect(await listIds(ada, `(search: "${search}")`), search).toEqual([found.id]);
    for (const search of ['confidential', 'kelly', found.id, 'race'])
      expect(await listIds(ada, `(search: "${search}")`), search).toEqual([]);
    expect(await listMembers(ada, '(search: "grace")')).toMatchObject({ totalCount: null });
    expect(await listIds(ada, '(search: "grace", role: "admin")')).toEqual([]);
  });

  test('have no fields that are hidden from administrators, and no way to users and groups', async () => {
    const ada = await createAdministrator(await createCompany());
    for (const name of ['note', 'sub', 'status', 'groups', 'posts', 'version', 'history', 'updatedAt'])
      expect(await readGroup(ada, `members { nodes { ${name} } }`)).toMatchObject({
        errors: [{ message: expect.stringContaining(`Cannot query field "${name}" on type "Member"`) }],
      });
    expect(await readGroup(ada, 'externalId')).toMatchObject({
      errors: [{ message: 'Cannot query field "externalId" on type "MyGroup".' }],
    });
  });

  test.each([
    ['first: 101', 'first'],
    ['first: 0', 'first'],
    ['after: "x"', 'after'],
    ['role: "guest"', 'role'],
    ['role: ""', 'role'],
    ['search: ""', 'search'],
  ])('(%s) is invalid', async (args, path) => {
    const ada = await createAdministrator(await createCompany());
    expect(await readGroup(ada, `members(${args}) { nodes { id } }`)).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT', issues: [{ path: [path] }] } }],
    });
  });

  test('end for an administrator who loses the role between two pages', async () => {
    const company = await createCompany();
    const ada = await createAdministrator(company);
    await createMember(company);
    const { pageInfo } = await listMembers(ada, '(first: 1)');
    expect(pageInfo.hasNextPage).toBe(true);
    await setMemberships(ada.id, [{ id: company.id, role: 'member' }]);
    const next = await readGroup(ada, `members(first: 1, after: "${pageInfo.endCursor}") { nodes { id } }`);
    expect([next.data, findReason(next)]).toEqual([null, 'NO_GROUP_ADMIN']);
  });

  test('charge the budget of the request', async () => {
    const ada = await createAdministrator(await createCompany());
    const lists = Array.from({ length: 15 }, (_, at) => `m${at}: members(first: 100, search: "ada") { nodes { id } }`);
    expect(await readGroup(ada, lists.join(' '))).toMatchObject({
      errors: [{ message: expect.stringContaining('reads more than 10000 items') }],
    });
    const removals = Array.from(
      { length: 15 },
      (_, at) => `r${at}: removeMyGroupMember(input: { id: "${UNKNOWN_ID}" }) { id }`,
    );
    const { errors } = (await ada.graphql(`mutation { ${removals.join(' ')} }`)) as Answer;
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(removals.map(() => 'NOT_FOUND'));
  });
});

describe('ids outside of the group', () => {
  test('are unknown in every argument, in the same words as ids that do not exist', async () => {
    const [company, other] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(company);
    const [foreign, homeless] = [await createMember(other), await createUser({})];
    const leave = await createMember(company);
    await mutate(ada, 'remove', { id: leave.id });
    const before = await Promise.all([foreign.id, homeless.id, leave.id].map(readUser));
    const ids = [UNKNOWN_ID, foreign.id, homeless.id, leave.id, company.id, other.id, 'x', '', '__proto__'];
    const attempts = ids.map(async (id) => [
      await readGroup(ada, `member(id: ${JSON.stringify(id)}) { id }`),
      await mutate(ada, 'update', { id, name: 'Eve' }),
      await mutate(ada, 'update', { id, role: 'admin' }),
      await mutate(ada, 'remove', { id }),
    ]);
    const [unknown, ...others] = await Promise.all(attempts);
    expect(unknown).toMatchObject([
      { data: { myGroup: { member: null } } },
      ...Array(3).fill({ errors: [{ message: 'Member not found', extensions: { code: 'NOT_FOUND' } }] }),
    ]);
    for (const answers of others) expect(answers).toEqual(unknown);
    expect(await Promise.all([foreign.id, homeless.id, leave.id].map(readUser))).toEqual(before);
    // As a cursor, an id is only a position.
    expect(await listIds(ada, `(after: "${foreign.id}")`)).toEqual([]);
    expect(await listIds(ada, `(after: "${UNKNOWN_ID}")`)).toEqual([ada.id]);
  });
});

describe('addMyGroupMember', () => {
  test('creates a user in the group, without a subject, by the administrator', async () => {
    const company = await createCompany();
    const ada = await createAdministrator(company);
    const email = `Bob-${ada.id}@Example.org`;
    const { data } = await mutate(ada, 'add', { name: ' Bob ', email, title: 'Clerk', badge: ada.id });
    const member = data?.addMyGroupMember?.member;
    expect(member).toMatchObject({ name: 'Bob', email, role: 'member', title: 'Clerk', badge: ada.id, plan: 'free' });
    const user = await readUser(member?.id ?? '');
    expect(user).toMatchObject({ version: 1, by: `group:${company.id}:${ada.id}`, own: { sub: undefined } });
    expect(await readRoles(member?.id ?? '')).toEqual({ [company.id]: 'member' });
    const admin = await mutate(ada, 'add', { name: 'Eve', email: `eve-${email}`, role: 'admin', badge: null });
    expect(admin.data?.addMyGroupMember?.member).toMatchObject({ role: 'admin', badge: null });
  });

  test('fails for taken addresses and values in the same words, wherever they are', async () => {
    const [company, other] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(company);
    const [here, there] = [await createMember(company), await createMember(other)];
    const answers = await Promise.all(
      [here, there].map(({ email }) => mutate(ada, 'add', { name: 'Eve', email: email.toUpperCase() })),
    );
    expect(answers[0]).toEqual({
      data: { addMyGroupMember: null },
      errors: [
        expect.objectContaining({
          message: 'Another user has this email',
          extensions: {
            code: 'CONFLICT',
            reason: 'EMAIL_TAKEN',
            issues: [{ path: ['email'], message: 'Another user has this email' }],
          },
        }),
      ],
    });
    expect(answers[1]).toEqual(answers[0]);
    expect(await listIds(ada)).toEqual([ada.id, here.id]);
    await updateUser({ id: there.id, badge: there.id } as { id: string }, 'operator');
    const sameBadge = { name: 'Eve', email: `eve-${there.email}`, badge: there.id };
    expect(findReason(await mutate(ada, 'add', sameBadge))).toBe('VALUE_TAKEN');
  });

  test('replays an idempotency key for the same person, group and input only', async () => {
    const [one, two] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(one);
    await setMemberships(
      ada.id,
      [one, two].map(({ id }) => ({ id, role: 'admin' })),
    );
    const eve = await createAdministrator(one);
    const { createCaller } = await import('../me/person.ts');
    const adaInTwo = createCaller(service.url, await ada.sign({ [CLAIM]: two.externalId }));
    const input = { name: 'Bob', email: `bob-${ada.id}@example.org`, idempotencyKey: 'one' };
    const first = await mutate(ada, 'add', input);
    expect(first.errors).toBeUndefined();
    expect(await mutate(ada, 'add', input)).toEqual(first);
    expect(findReason(await mutate(ada, 'add', { ...input, role: 'admin' }))).toBe('IDEMPOTENCY_KEY_REUSED');
    for (const other of [eve, adaInTwo]) {
      expect(findReason(await mutate(other, 'add', input))).toBe('EMAIL_TAKEN');
      const another = { ...input, email: `${Math.random()}@example.org` };
      expect(findReason(await mutate(other, 'add', another))).toBeUndefined();
    }
  });

  test.each([
    [{ role: 'guest' }, 'role'],
    [{ role: '' }, 'role'],
    [{ name: '' }, 'name'],
    [{ email: 'x' }, 'email'],
    [{ title: 'x'.repeat(41) }, 'title'],
    [{ idempotencyKey: '' }, 'idempotencyKey'],
  ])('rejects %j', async (invalid, path) => {
    const ada = await createAdministrator(await createCompany());
    const answer = await mutate(ada, 'add', { name: 'Bob', email: `bob-${ada.id}@example.org`, ...invalid });
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', issues: [{ path: [path] }] });
    expect(await listIds(ada)).toEqual([ada.id]);
  });

  test.each(['sub', 'note', 'plan', 'status', 'groups', 'id', 'groupId', 'ifVersion'])(
    'has no member %s, nor has updateMyGroupMember',
    async (name) => {
      const ada = await createAdministrator(await createCompany());
      const input = { name: 'Bob', email: `bob-${ada.id}@example.org`, [name]: 'x' };
      expect(JSON.stringify(await mutate(ada, 'add', input))).toMatch(
        /Field \\"\w+\\" is not defined by type \\"AddMyGroupMemberInput\\"/,
      );
      if (name !== 'id')
        expect(JSON.stringify(await mutate(ada, 'update', { id: ada.id, [name]: 'x' }))).toMatch(
          /Field \\"\w+\\" is not defined by type \\"UpdateMyGroupMemberInput\\"/,
        );
      expect(await listIds(ada)).toEqual([ada.id]);
    },
  );
});

describe('updateMyGroupMember', () => {
  test('changes role, name and writable fields, and keeps other groups and hidden fields', async () => {
    const [company, other] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(company);
    const groups = [company, other].map(({ id }) => ({ id, role: 'member' }));
    const { id } = await createUser({ name: 'Bob', groups, sub: `sub-of-${ada.id}` });
    await updateUser({ id, note: 'kept' } as { id: string }, 'operator');
    const changed = await mutate(ada, 'update', { id, name: 'Robert', role: 'owner', title: 'CEO', badge: id });
    const member = { id, name: 'Robert', role: 'owner', title: 'CEO', badge: id };
    expect(changed.data?.updateMyGroupMember?.member).toMatchObject(member);
    expect(await readUser(id)).toMatchObject({
      version: 3,
      by: `group:${company.id}:${ada.id}`,
      own: { note: 'kept', sub: `sub-of-${ada.id}` },
    });
    expect(await readRoles(id)).toEqual({ [company.id]: 'owner', [other.id]: 'member' });
    for (const changes of [{}, { role: null }, { role: 'owner' }, { title: 'CEO' }])
      expect(await mutate(ada, 'update', { id, ...changes })).toEqual(changed);
    expect(await readUser(id)).toMatchObject({ version: 3 });
    const cleared = await mutate(ada, 'update', { id, title: null });
    expect(cleared.data?.updateMyGroupMember?.member).toMatchObject({ role: 'owner', title: null });
  });

  test('never changes an address', async () => {
    const company = await createCompany();
    const ada = await createAdministrator(company);
    const { id, email } = await createMember(company);
    expect(JSON.stringify(await mutate(ada, 'update', { id, email: 'eve@example.org' }))).toContain('not defined');
    expect(await readUser(id)).toMatchObject({ email, version: 1 });
  });

  test('rejects roles that do not exist', async () => {
    const company = await createCompany();
    const ada = await createAdministrator(company);
    const { id } = await createMember(company);
    for (const role of ['guest', '', 'Admin', 'member,admin', '__proto__']) {
      const { errors } = await mutate(ada, 'update', { id, role });
      expect(errors?.[0]?.extensions, role).toMatchObject({ code: 'BAD_USER_INPUT', issues: [{ path: ['role'] }] });
    }
    expect(await readRoles(id)).toEqual({ [company.id]: 'member' });
  });
});

describe('removeMyGroupMember', () => {
  test('removes the membership, but neither the user nor other groups', async () => {
    const [company, other] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(company);
    const user = await createUser({ groups: [company, other].map(({ id }) => ({ id, role: 'admin' })) });
    expect(await mutate(ada, 'remove', { id: user.id.toUpperCase() })).toEqual({
      data: { removeMyGroupMember: { id: user.id } },
    });
    expect(await readRoles(user.id)).toEqual({ [other.id]: 'admin' });
    expect(await readUser(user.id)).toMatchObject({ name: user.name, email: user.email, version: 2 });
    expect(await listIds(ada)).toEqual([ada.id]);
    expect(findReason(await mutate(ada, 'remove', { id: user.id }))).toBe('NOT_FOUND');
  });

  test('lets an administrator leave, who then administers nothing', async () => {
    const company = await createCompany();
    const ada = await createAdministrator(company);
    const { id } = await createMember(company, { role: 'owner' });
    expect(findReason(await mutate(ada, 'remove', { id: ada.id }))).toBeUndefined();
    expect(findReason(await readGroup(ada))).toBe('NO_GROUP_ADMIN');
    expect(await readRoles(id)).toEqual({ [company.id]: 'owner' });
  });
});

describe('the last administrator', () => {
  test('neither leaves nor loses the role, in the same words for both', async () => {
    const [company, other] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(company);
    await createMember(company);
    await createMember(other, { role: 'admin' });
    for (const answer of [
      await mutate(ada, 'remove', { id: ada.id }),
      await mutate(ada, 'update', { id: ada.id, role: 'member', name: 'Eve' }),
    ])
      expect(answer.errors).toMatchObject([{ extensions: { code: 'CONFLICT', reason: 'LAST_ADMIN' } }]);
    expect(await readUser(ada.id)).toMatchObject({ name: 'Ada', version: 1 });
    const renamed = await mutate(ada, 'update', { id: ada.id, role: 'owner', name: 'Eve' });
    expect(renamed.data?.updateMyGroupMember?.member).toMatchObject({ name: 'Eve', role: 'owner' });
  });

  test('remains if two administrators remove each other at once', async () => {
    for (const kind of ['remove', 'update'] as const)
      for (let round = 0; round < 5; round++) {
        const company = await createCompany();
        const [ada, eve] = [await createAdministrator(company), await createAdministrator(company, { role: 'owner' })];
        const lose = (id: string) => (kind === 'remove' ? { id } : { id, role: 'member' });
        const reasons = await Promise.all([
          mutate(ada, kind, lose(eve.id)).then(findReason),
          mutate(eve, kind, lose(ada.id)).then(findReason),
        ]);
        const roles = await Promise.all([ada.id, eve.id].map(readRoles));
        const left = roles.filter((each) => ['admin', 'owner'].includes(each?.[company.id] ?? ''));
        expect([kind, left.length]).toEqual([kind, 1]);
        expect(reasons.filter((reason) => reason === undefined)).toHaveLength(1);
        expect(reasons.find((reason) => reason)).toMatch(/^(NO_GROUP_ADMIN|NOT_FOUND)$/);
      }
  });

  test('remains if all leave at once', async () => {
    const company = await createCompany();
    const all = await Promise.all(Array.from({ length: 4 }, () => createAdministrator(company)));
    const reasons = await Promise.all(all.map(async (one) => findReason(await mutate(one, 'remove', { id: one.id }))));
    const roles = await Promise.all(all.map(({ id }) => readRoles(id)));
    expect(roles.filter((each) => each?.[company.id] === 'admin').length).toBeGreaterThanOrEqual(1);
    expect(reasons.filter((reason) => reason === undefined).length).toBe(
      roles.filter((each) => each?.[company.id] === undefined).length,
    );
  });
});

describe('600 writes an hour', () => {
  const fill = ({ id }: Company, writes: number, hours = 0) =>
    putItems([{ ...groupWritesKey(id), writes, countedHour: Math.floor(environment.now() / 3_600_000) + hours }]);

  test('count per group, with failed ones, before an address is tried', async () => {
    const [company, other] = [await createCompany(), await createCompany()];
    const ada = await createAdministrator(company);
    const eve = await createAdministrator(company);
    const { email } = await createMember(other);
    await fill(company, 597);
    expect(findReason(await mutate(ada, 'add', { name: 'Bob', email }))).toBe('EMAIL_TAKEN');
    expect(findReason(await mutate(ada, 'remove', { id: UNKNOWN_ID }))).toBe('NOT_FOUND');
    expect(findReason(await mutate(eve, 'update', { id: ada.id }))).toBeUndefined();
    const limited = await Promise.all([
      mutate(ada, 'add', { name: 'Bob', email }),
      mutate(ada, 'add', { name: 'Bob', email: `free-${email}` }),
      mutate(eve, 'update', { id: ada.id, name: 'Eve' }),
      mutate(eve, 'remove', { id: ada.id }),
    ]);
    for (const { errors } of limited) {
      expect(errors?.[0]).toMatchObject({
        message: 'The limit of 600 changes of a group an hour is reached',
        extensions: { code: 'TOO_MANY_REQUESTS', retryAfterSeconds: expect.any(Number) },
      });
      expect(errors?.[0]).toMatchObject({
        ...limited[0]?.errors?.[0],
        path: expect.anything(),
        locations: expect.anything(),
      });
    }
    expect(await listIds(ada)).toEqual([ada.id, eve.id]);
    expect(findReason(await mutate(await createAdministrator(other), 'remove', { id: UNKNOWN_ID }))).toBe('NOT_FOUND');
  });

  test('start again in the next hour', async () => {
    const company = await createCompany();
    const ada = await createAdministrator(company);
    await fill(company, 600, -1);
    expect(findReason(await mutate(ada, 'update', { id: ada.id, name: 'Ada King' }))).toBeUndefined();
  });
});

test('20 clients that add and remove the same people lose nobody', async () => {
  const company = await createCompany();
  const [ada, eve] = [await createAdministrator(company), await createAdministrator(company)];
  const people = await Promise.all(Array.from({ length: 4 }, () => createMember(company)));
  const email = `new-${ada.id}@example.org`;
  const results = await Promise.all(
    Array.from({ length: 20 }, async (_, at) => {
      const caller = at % 2 ? ada : eve;
      const id = people[at % 4]?.id ?? '';
      return [
        findReason(await mutate(caller, 'add', { name: `N${at}`, email })),
        findReason(await mutate(caller, at % 3 ? 'update' : 'remove', { id, ...(at % 3 ? { name: `N${at}` } : {}) })),
      ] as const;
    }),
  );
  expect(results.filter(([added]) => added === undefined)).toHaveLength(1);
  for (const [added, changed] of results) {
    expect(added ?? 'EMAIL_TAKEN').toMatch(/^(EMAIL_TAKEN|SERVICE_UNAVAILABLE)$/);
    expect(changed ?? 'NOT_FOUND').toMatch(/^(NOT_FOUND|CONCURRENT_CHANGES)$/);
  }
  const { nodes, totalCount } = await listMembers(ada);
  const members = await Promise.all(people.map(({ id }) => readRoles(id)));
  expect(nodes.map(({ id }) => id).filter((id) => people.some((each) => each.id === id))).toEqual(
    people.flatMap(({ id }, at) => (members[at]?.[company.id] ? [id] : [])),
  );
  expect(nodes.length).toBe(totalCount);
});

test('log lines name neither the person nor members', async () => {
  const company = await createCompany();
  const ada = await createAdministrator(company);
  const { id } = await createMember(company);
  log.length = 0;
  await mutate(ada, 'update', { id, name: 'Robert' });
  await mutate(ada, 'add', { name: 'Bob', email: `bob-${id}@example.org` });
  expect(log.join()).toContain('"caller":"sha256:');
  for (const secret of [ada.subject, ada.email, 'Robert', `bob-${id}`]) expect(log.join()).not.toContain(secret);
});

test('operators see the administrator in histories', async () => {
  const company = await createCompany();
  const ada = await createAdministrator(company);
  const { id } = await createMember(company);
  await mutate(ada, 'update', { id, role: 'owner' });
  await mutate(ada, 'remove', { id });
  const operator = await newOperator();
  expect(await operator.send(`/v1/users/${id}`)).toMatchObject({ status: 200, body: { groups: [] } });
  const document = `{ userHistory(id: "${id}", first: 2) { nodes { by changed after { groups { role } } } } }`;
  const by = `group:${company.id}:${ada.id}`;
  const nodes = [
    { by, changed: ['groups'], after: { groups: [] } },
    { by, changed: ['groups'], after: { groups: [{ role: 'owner' }] } },
  ];
  await vi.waitFor(async () => expect(await operator.graphql(document)).toEqual({ data: { userHistory: { nodes } } }), {
    timeout: 60_000,
  });
});
