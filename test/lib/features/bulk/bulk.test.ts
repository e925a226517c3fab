import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { table } from '../../../../lib/dynamodb/client.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { createUser, execute, fetchData, getErrorCode, type User } from '../../graphql/client.ts';
import { UNKNOWN_ID } from '../../rest/client.ts';

type ItemError = {
  message: string;
  code: string;
  reason: string | null;
  version?: number | null;
  issues: { path: string[]; message: string }[] | null;
};
type Result = { id?: string; user?: User | null; error: ItemError | null };

const CREATE = `mutation ($users: [CreateUserInput!]!) { createUsers(input: { users: $users }) {
  results { user { id name email version } error { message code reason issues { path message } } }
} }`;
const UPDATE = `mutation ($users: [UpdateUserInput!]!) { updateUsers(input: { users: $users }) {
  results { user { id name email version } error { message code reason version issues { path message } } }
} }`;
const DELETE = `mutation ($users: [DeleteUserInput!]!) { deleteUsers(input: { users: $users }) {
  results { id error { message code reason } }
} }`;

async function send(document: string, users: object[]): Promise<Result[]> {
  const [payload] = Object.values(await fetchData<Record<string, { results: Result[] }>>(document, { users }));
  return payload?.results ?? [];
}

const findUser = async (email: string) =>
  (
    await fetchData<{ userByEmail: User | null }>('query ($email: String!) { userByEmail(email: $email) { id } }', {
      email,
    })
  ).userByEmail;

test('createUsers creates 50 users in the order of the input', async () => {
  const people = Array.from({ length: 50 }, newPerson);
  const results = await send(CREATE, people);
  expect(results.map(({ user }) => user?.email)).toEqual(people.map(({ email }) => email));
  expect(results.every(({ error }) => error === null)).toBe(true);
});

test('a request writes up to 100 users, and a mutation beyond the limit writes nothing', async () => {
  const people = Array.from({ length: 50 }, newPerson);
  const rest = people.map(({ email }) => ({ ...newPerson(), email: `again.${email}` }));
  const create = (alias: string, variable: string) =>
    `${alias}: createUsers(input: { users: $${variable} }) { results { user { id } } }`;
  const document = `mutation ($people: [CreateUserInput!]!, $rest: [CreateUserInput!]!, $some: [CreateUserInput!]!) {
    ${create('one', 'people')} ${create('two', 'some')} ${create('three', 'rest')} ${create('four', 'some')}
    five: createPost(input: { authorId: "x", title: "x" }) { post { id } }
  }`;
  const { data, errors } = await execute<Record<string, { results: Result[] } | null>>(document, {
    people,
    rest,
    some: [newPerson()],
  });
  expect(Object.values(data ?? {}).map((payload) => payload?.results.length)).toEqual([50, 1, undefined, 1, undefined]);
  expect(errors?.map(({ path, extensions, message }) => [path, extensions.code, message])).toEqual([
    [['three'], 'BAD_USER_INPUT', 'The operation writes more than 100 users and posts; send several requests'],
    [['five'], 'NOT_FOUND', 'User not found'],
  ]);
  expect(await findUser(rest[0]?.email ?? '')).toBeNull();
});

test('each failed user has an error, and the others are created', async () => {
  const { email } = await createUser();
  const [one, other] = [newPerson(), newPerson()];
  const results = await send(CREATE, [one, { name: 'Taken', email }, { name: '', email: 'x' }, other]);
  expect(results.map(({ user }) => user?.email)).toEqual([one.email, undefined, undefined, other.email]);
  expect(results[1]?.error).toEqual({
    message: 'Another user has this email',
    code: 'CONFLICT',
    reason: 'EMAIL_TAKEN',
    issues: [{ path: ['email'], message: 'Another user has this email' }],
  });
  expect(results[2]?.error).toMatchObject({
    code: 'BAD_USER_INPUT',
    issues: [
      { path: ['name'], message: 'must not be empty' },
      { path: ['email'], message: 'must be an email address' },
    ],
  });
});

test('of users with the same address, one is created', async () => {
  const person = newPerson();
  const results = await send(CREATE, [person, person, person]);
  expect(results.filter(({ user }) => user)).toHaveLength(1);
  expect(results.filter(({ error }) => error?.reason === 'EMAIL_TAKEN')).toHaveLength(2);
});

test('a retry with the same keys creates nothing', async () => {
  const people = Array.from({ length: 3 }, () => ({ ...newPerson(), idempotencyKey: randomUUID() }));
  const first = await send(CREATE, people);
  expect(await send(CREATE, people)).toEqual(first);
  const [reused] = await send(CREATE, [{ ...newPerson(), idempotencyKey: people[0]?.idempotencyKey }]);
  expect(reused?.error?.reason).toBe('IDEMPOTENCY_KEY_REUSED');
});

test('of different users with one key, the first is created and the others are IDEMPOTENCY_KEY_REUSED', async () => {
  const idempotencyKey = randomUUID();
  const people = Array.from({ length: 10 }, () => ({ ...newPerson(), idempotencyKey }));
  const [first, ...others] = await send(CREATE, people);
  expect(first?.user?.email).toBe(people[0]?.email);
  expect(others.map(({ error }) => error?.reason)).toEqual(others.map(() => 'IDEMPOTENCY_KEY_REUSED'));
});

test('deleteUsers deletes users and returns an error for each unknown id and stale version', async () => {
  const [one, stale] = [await createUser(), await createUser()];
  const results = await send(DELETE, [{ id: one.id }, { id: 'nobody' }, { id: stale.id, ifVersion: 7 }]);
  expect(results.map(({ id }) => id)).toEqual([one.id, 'nobody', stale.id]);
  expect(results.map(({ error }) => error?.reason)).toEqual([undefined, 'NOT_FOUND', 'PRECONDITION_FAILED']);
  expect(await findUser(one.email)).toBeNull();
  expect(await findUser(stale.email)).not.toBeNull();
});

test.each([0, 51])('%i users are BAD_USER_INPUT, and nothing is created', async (count) => {
  const people = Array.from({ length: count }, newPerson);
  expect(getErrorCode(await execute(CREATE, { users: people }))).toBe('BAD_USER_INPUT');
  if (people[0]) expect(await findUser(people[0].email)).toBeNull();
});

test('an internal error of one user is masked and does not affect the others', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const [one, other] = [newPerson(), newPerson()];
  const sendReally = table.send.bind(table);
  vi.spyOn(table, 'send').mockImplementation(((command: { input: object }, ...rest: never[]) =>
    JSON.stringify(command.input).includes(one.email)
      ? Promise.reject(new Error('secret'))
      : sendReally(command as never, ...rest)) as never);
  const results = await send(CREATE, [one, other]);
  expect(results[0]?.error).toEqual({
    message: 'Internal server error',
    code: 'INTERNAL_SERVER_ERROR',
    reason: null,
    issues: null,
  });
  expect(results[1]?.user?.email).toBe(other.email);
});

test('too long ids are shortened in the answer, at every alias', async () => {
  const users = Array.from({ length: 50 }, (_, at) => ({ id: `${at}${'x'.repeat(1_900)}` }));
  const aliases = Array.from(
    { length: 2 },
    (_, at) => `a${at}: deleteUsers(input: { users: $users }) { results { id error { code } } }`,
  );
  const { text, data } = await execute<Record<string, { results: Result[] }>>(
    `mutation ($users: [DeleteUserInput!]!) { ${aliases.join(' ')} }`,
    { users },
  );
  expect(data?.a1?.results[49]).toEqual({ id: expect.stringMatching(/^49x+…$/), error: { code: 'NOT_FOUND' } });
  expect(text.length).toBeLessThan(20_000);
});

test('lone surrogates of ids are replaced in the answer', async () => {
  expect(await send(DELETE, [{ id: 'x\ud800' }])).toMatchObject([{ id: 'x\ufffd', error: { code: 'NOT_FOUND' } }]);
});

describe('updateUsers', () => {
  test('changes each user under its own version, with an error for each failed one', async () => {
    const [one, stale, other, taken] = [await createUser(), await createUser(), await createUser(), await createUser()];
    const results = await send(UPDATE, [
      { id: one.id.toUpperCase(), name: 'One', ifVersion: 1 },
      { id: stale.id, name: 'Stale', ifVersion: 7 },
      { id: UNKNOWN_ID, name: 'Nobody' },
      { id: other.id, name: '' },
      { id: taken.id, email: one.email },
      { id: other.id, name: 'Other' },
    ]);
    expect(results.map(({ user }) => user && [user.id, user.name])).toEqual([
      [one.id, 'One'],
      null,
      null,
      null,
      null,
      [other.id, 'Other'],
    ]);
    expect(results.map(({ error }) => error && [error.reason, error.version])).toEqual([
      null,
      ['PRECONDITION_FAILED', 1],
      ['NOT_FOUND', null],
      ['BAD_USER_INPUT', null],
      ['EMAIL_TAKEN', null],
      null,
    ]);
  });

  test('accepts 50 users and keeps their order', async () => {
    const people = await send(CREATE, Array.from({ length: 50 }, newPerson));
    const changes = people.map(({ user }, at) => ({ id: user?.id, name: `Person ${at}`, ifVersion: 1 }));
    const results = await send(UPDATE, changes);
    expect(results.map(({ user, error }) => [user?.id, user?.name, error])).toEqual(
      changes.map(({ id, name }) => [id, name, null]),
    );
    expect((await send(UPDATE, changes)).every(({ error }) => error?.version === 2)).toBe(true);
  });

  test('applies the changes of a repeated user in the order of the input', async () => {
    const { id } = await createUser();
    const names = Array.from({ length: 10 }, (_, at) => `Name ${at}`);
    const results = await send(
      UPDATE,
      names.map((name, at) => ({ id: at % 2 ? id : id.toUpperCase(), name })),
    );
    expect(results).toMatchObject(names.map((name, at) => ({ user: { name, version: at + 2 } })));
  });

  test('applies both changes of a repeated user, or one if both expect the same version', async () => {
    const { id } = await createUser();
    const both = await send(UPDATE, [
      { id, name: 'Twice' },
      { id, email: newPerson().email },
    ]);
    expect(both.map(({ user }) => user?.id)).toEqual([id, id]);
    const { user } = await fetchData<{ user: { name: string; version: number } }>(
      'query ($id: ID!) { user(id: $id) { name version } }',
      { id },
    );
    expect(user).toEqual({ name: 'Twice', version: 3 });
    const once = await send(UPDATE, [
      { id, name: 'One', ifVersion: 3 },
      { id, name: 'Other', ifVersion: 3 },
    ]);
    expect(once.filter(({ error }) => error?.reason === 'PRECONDITION_FAILED')).toHaveLength(1);
  });

  test.each([0, 51])('rejects %i users', async (count) => {
    const users = Array.from({ length: count }, () => ({ id: UNKNOWN_ID, name: 'Ada' }));
    expect(getErrorCode(await execute(UPDATE, { users }))).toBe('BAD_USER_INPUT');
  });
});

describe('usersByIds', () => {
  const BY_IDS = 'query ($ids: [ID!]!) { usersByIds(ids: $ids) { id name } }';
  const read = async (ids: string[]) =>
    (await fetchData<{ usersByIds: (User | null)[] }>(BY_IDS, { ids })).usersByIds.map((user) => user?.id ?? null);

  test('returns users in the order of the ids, with null for unknown ones, and accepts repeated and upper-case ids', async () => {
    const [one, other] = [await createUser(), await createUser()];
    const ids = [other.id, UNKNOWN_ID, 'x', one.id.toUpperCase(), other.id, ''];
    expect(await read(ids)).toEqual([other.id, null, null, one.id, other.id, null]);
    expect(await read([])).toEqual([]);
  });

  test('reads 100 users with one request', async () => {
    const created = [
      ...(await send(CREATE, Array.from({ length: 50 }, newPerson))),
      ...(await send(CREATE, Array.from({ length: 50 }, newPerson))),
    ];
    const ids = created.map(({ user }) => user?.id ?? '').toReversed();
    const sent = vi.spyOn(table, 'send').mockClear();
    expect(await read(ids)).toEqual(ids);
    expect(sent).toHaveBeenCalledTimes(1);
    sent.mockRestore();
    expect(getErrorCode(await execute(BY_IDS, { ids: [...ids, UNKNOWN_ID] }))).toBe('BAD_USER_INPUT');
  });

  test('costs as much as a list of the same length', async () => {
    const document = 'query ($ids: [ID!]!) { usersByIds(ids: $ids) { posts(first: 60) { id } } }';
    const { errors } = await execute(document, { ids: Array.from({ length: 100 }, () => UNKNOWN_ID) });
    expect(errors?.[0]?.message).toMatch(/costs 6101, which is more than 5000/);
  });
});

describe('usersByEmails', () => {
  const BY_EMAILS = 'query ($emails: [String!]!) { usersByEmails(emails: $emails) { id } }';
  type Found = { usersByEmails: (User | null)[] };

  test('returns users in the order of the addresses, with null for unknown and invalid ones, and ignores case', async () => {
    const [one, other] = [await createUser(), await createUser()];
    const emails = [other.email.toUpperCase(), newPerson().email, 'x', one.email, other.email];
    const sent = vi.spyOn(table, 'send').mockClear();
    const { usersByEmails } = await fetchData<Found>(BY_EMAILS, { emails });
    expect(usersByEmails.map((user) => user?.id)).toEqual([other.id, undefined, undefined, one.id, other.id]);
    expect(sent).toHaveBeenCalledTimes(2);
    sent.mockRestore();
  });

  test('rejects 101 addresses, and costs as much as a list of the same length', async () => {
    const emails = Array.from({ length: 101 }, () => newPerson().email);
    expect(getErrorCode(await execute(BY_EMAILS, { emails }))).toBe('BAD_USER_INPUT');
    const document = 'query ($emails: [String!]!) { usersByEmails(emails: $emails) { posts(first: 60) { id } } }';
    const { errors } = await execute(document, { emails: emails.slice(1) });
    expect(errors?.[0]?.message).toMatch(/costs 6101, which is more than 5000/);
  });
});

describe('upsertUsers', () => {
  type Upserted = { user: (User & { version: number }) | null; outcome: string | null; error: ItemError | null };

  const UPSERT = `mutation ($users: [UpsertUserInput!]!) { upsertUsers(input: { users: $users }) {
    results { user { id name email version } outcome error { message code reason issues { path message } } }
  } }`;
  const upsert = async (users: object[]) => (await send(UPSERT, users)) as unknown as Upserted[];

  test('creates, updates and leaves equal users unchanged, in the order of the input', async () => {
    const [changed, equal] = [await createUser(), await createUser()];
    const person = newPerson();
    const results = await upsert([
      { name: 'Changed', email: changed.email.toUpperCase() },
      person,
      { name: equal.name, email: equal.email },
      { name: '', email: 'x' },
    ]);
    expect(results.map(({ outcome, user, error }) => [outcome, user?.id, user?.version, error?.code])).toEqual([
      ['UPDATED', changed.id, 2, undefined],
      ['CREATED', expect.any(String), 1, undefined],
      ['UNCHANGED', equal.id, 1, undefined],
      [null, undefined, undefined, 'BAD_USER_INPUT'],
    ]);
    expect(results[3]?.error?.issues?.map(({ path }) => path)).toEqual([['name'], ['email']]);
    expect((await upsert([person]))[0]).toMatchObject({ outcome: 'UNCHANGED', user: { id: results[1]?.user?.id } });
  });

  test('reads 50 users with two requests and writes nothing if all are equal', async () => {
    const people = Array.from({ length: 50 }, newPerson);
    await upsert(people);
    const sendRequest = vi.spyOn(table, 'send');
    const results = await upsert(people);
    const commands = sendRequest.mock.calls.map(([command]) => command.constructor.name);
    sendRequest.mockRestore();
    expect(commands).toEqual(['BatchGetCommand', 'BatchGetCommand']);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['UNCHANGED']));
  });

  test('users with the same address take effect in the order of the input', async () => {
    const { email, name } = await createUser();
    const results = await upsert([
      { email, name: 'First' },
      { email: email.toUpperCase(), name: 'Second' },
      { email, name },
    ]);
    expect(results.map(({ user, outcome }) => [outcome, user?.name, user?.version])).toEqual([
      ['UPDATED', 'First', 2],
      ['UPDATED', 'Second', 3],
      ['UPDATED', name, 4],
    ]);
    const person = newPerson();
    expect((await upsert([person, person])).map(({ outcome }) => outcome)).toEqual(['CREATED', 'UNCHANGED']);
  });

  test('another field than a unique one is BAD_USER_INPUT', async () => {
    const document =
      'mutation { upsertUsers(input: { by: "name", users: [{ name: "A", email: "a@b.co" }] }) { results { outcome } } }';
    expect(getErrorCode(await execute(document))).toBe('BAD_USER_INPUT');
  });
});
