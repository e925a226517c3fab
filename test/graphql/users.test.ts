import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { doors } from '../rest/doors.ts';
import { codeOf, dataOf, execute, mutate, newUser, person, type User } from './client.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

type Found = { user: (User & { createdAt: string; updatedAt: string; version: number }) | null };
const read = async (id: string) =>
  (await dataOf<Found>('query ($id: ID!) { user(id: $id) { id name email createdAt updatedAt version } }', { id }))
    .user;

describe('user', () => {
  test('gives exactly what is selected', async () => {
    const { id, name } = await newUser();
    const answer = await execute('query ($id: ID!) { user(id: $id) { handle: name } }', { id });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ data: { user: { handle: name } } });
  });

  test('has times in ISO 8601 UTC, of which only updatedAt moves', async () => {
    const { id } = await newUser();
    const before = await read(id);
    expect(before?.createdAt).toMatch(ISO_UTC);
    expect(before?.updatedAt).toBe(before?.createdAt);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await mutate('updateUser', { id, name: 'Later' });
    const after = await read(id);
    expect(after?.createdAt).toBe(before?.createdAt);
    expect(Date.parse(after?.updatedAt ?? '')).toBeGreaterThan(Date.parse(before?.updatedAt ?? ''));
  });

  test.each([NOBODY, '', 'ada', '0', '__proto__', '../x', 'USER#x', 'a'.repeat(3000), '\u0000'])(
    'is null, without errors, for the id %j',
    async (id) => {
      const { text } = await execute('query ($id: ID!) { user(id: $id) { id } post(id: $id) { id } }', { id });
      expect(JSON.parse(text)).toEqual({ data: { user: null, post: null } });
    },
  );

  test('is found by its address in any case, and nobody by another', async () => {
    const { id, email } = await newUser();
    const find = (email: string) => dataOf('query ($email: String!) { userByEmail(email: $email) { id } }', { email });
    expect(await find(email.toUpperCase())).toEqual({ userByEmail: { id } });
    for (const other of ['nobody@example.org', 'no address', ''])
      expect(await find(other)).toEqual({ userByEmail: null });
  });
});

describe('createUser', () => {
  test('makes the user, trimmed and at version 1', async () => {
    const { name, email } = person();
    const { payload } = await mutate('createUser', { name: ` ${name} `, email: `  ${email}` });
    expect(payload?.user).toEqual({ id: payload?.user.id, name, email, version: 1 });
    expect(await read(payload?.user.id ?? '')).toMatchObject({ name, email, version: 1 });
  });

  test.each([
    ['name', ''],
    ['name', 'n'.repeat(257)],
    ['name', 'a\u0007b'],
    ['email', 'nobody'],
    ['email', `${'x'.repeat(300)}@example.org`],
    ['idempotencyKey', 'k'.repeat(256)],
    ['idempotencyKey', 'a b'],
  ])('is BAD_USER_INPUT with an issue of a wrong %s, and makes nobody', async (field, value) => {
    const input = person();
    const answer = await mutate('createUser', { ...input, [field]: value });
    expect(codeOf(answer)).toBe('BAD_USER_INPUT');
    expect(answer.errors?.[0]?.extensions.issues?.[0]).toMatchObject({ path: [field] });
    expect(await dataOf('query ($email: String!) { userByEmail(email: $email) { id } }', input)).toEqual({
      userByEmail: null,
    });
  });

  test('is CONFLICT for an address that another has', async () => {
    const { email } = await newUser();
    expect(codeOf(await mutate('createUser', { name: 'No', email: email.toUpperCase() }))).toBe('CONFLICT');
  });

  test('gives the first answer again under its idempotencyKey, also when the user has changed', async () => {
    const input = { ...person(), idempotencyKey: randomUUID() };
    const first = await mutate('createUser', input);
    await mutate('updateUser', { id: first.payload?.user.id, name: 'Changed' });
    expect((await mutate('createUser', input)).payload).toEqual(first.payload);
    expect(codeOf(await mutate('createUser', { ...input, name: 'Another' }))).toBe('BAD_USER_INPUT');
  });

  test('knows the key of a create at REST, which is the same operation', async () => {
    const [bare] = doors.toReversed();
    const [input, key] = [person(), randomUUID()];
    const reply = await bare?.create(input, { 'idempotency-key': key });
    const { payload } = await mutate('createUser', { ...input, idempotencyKey: key });
    expect(reply?.json).toMatchObject({ id: payload?.user.id });
  });
});

describe('updateUser and replaceUser', () => {
  test('change what is sent, and count a version', async () => {
    const user = await newUser();
    const renamed = { ...user, name: 'Renamed', version: 2 };
    expect((await mutate('updateUser', { id: user.id, name: 'Renamed' })).payload?.user).toEqual(renamed);
    const input = { id: user.id, ...person() };
    expect((await mutate('replaceUser', input)).payload?.user).toEqual({ ...input, version: 3 });
    expect(await read(user.id)).toMatchObject({ ...input, version: 3 });
  });

  test('of nothing changes nothing', async () => {
    const user = await newUser();
    expect((await mutate('updateUser', { id: user.id })).payload?.user).toEqual(user);
  });

  test('are BAD_USER_INPUT for null or a missing field, and change nothing', async () => {
    const { version, ...user } = await newUser();
    expect(codeOf(await mutate('updateUser', { id: user.id, name: null }))).toBe('BAD_USER_INPUT');
    expect(codeOf(await mutate('updateUser', { id: user.id, email: null }))).toBe('BAD_USER_INPUT');
    expect(codeOf(await mutate('replaceUser', { id: user.id, name: 'Half' }))).toBe('BAD_USER_INPUT');
    expect(await read(user.id)).toMatchObject({ ...user, version });
  });

  test('are CONFLICT for an address that another has, and change nothing', async () => {
    const [user, { email }] = [await newUser(), await newUser()];
    expect(codeOf(await mutate('updateUser', { id: user.id, email }))).toBe('CONFLICT');
    expect(codeOf(await mutate('replaceUser', { id: user.id, name: 'No', email }))).toBe('CONFLICT');
    expect(await read(user.id)).toMatchObject(user);
  });

  test('show their effect to the fields behind them in one request', async () => {
    const { id } = await newUser();
    const document = `mutation ($id: ID!) {
      one: updateUser(input: { id: $id, name: "One" }) { user { name version } }
      two: updateUser(input: { id: $id, name: "Two" }) { user { name version } }
    }`;
    expect(await dataOf(document, { id })).toEqual({
      one: { user: { name: 'One', version: 2 } },
      two: { user: { name: 'Two', version: 3 } },
    });
  });
});

describe.each([
  ['updateUser', { name: 'Changed' }],
  ['replaceUser', { name: 'Changed', email: 'changed@example.org' }],
  ['deleteUser', {}],
])('%s', (mutation, fields) => {
  test('is done at the version that ifVersion names', async () => {
    const { id, version } = await newUser();
    expect((await mutate(mutation, { id, ...fields, ifVersion: version })).errors).toBeUndefined();
    await mutate('deleteUser', { id });
  });

  test('is PRECONDITION_FAILED at another, and changes nothing', async () => {
    const user = await newUser();
    for (const ifVersion of [user.version + 1, 0, -1])
      expect(codeOf(await mutate(mutation, { id: user.id, ...fields, ifVersion }))).toBe('PRECONDITION_FAILED');
    expect(await read(user.id)).toMatchObject(user);
  });

  test.each([NOBODY, 'ada', ''])('is NOT_FOUND for the id %j', async (id) => {
    expect(codeOf(await mutate(mutation, { id, ...fields }))).toBe('NOT_FOUND');
    expect(codeOf(await mutate(mutation, { id, ...fields, ifVersion: 1 }))).toBe('NOT_FOUND');
  });
});

test('deleteUser gives the id, and frees the address', async () => {
  const { id, name, email } = await newUser();
  expect((await mutate<{ id: string }>('deleteUser', { id })).payload).toEqual({ id });
  expect(await read(id)).toBeNull();
  expect((await newUser({ name, email })).id).not.toBe(id);
});

test.each(doors)('what GraphQL does is seen at $path, and the other way round', async (door) => {
  const { version: _, ...user } = await newUser();
  expect(await door.read(user.id)).toEqual(user);
  const { etag } = (await door.get(user.id)).headers;
  await mutate('updateUser', { id: user.id, name: 'By GraphQL' });
  expect((await door.update(user.id, { name: 'Stale' }, { 'if-match': String(etag) })).status).toBe(412);
  await door.update(user.id, { name: 'By REST' });
  expect(await read(user.id)).toMatchObject({ ...user, name: 'By REST', version: 3 });
  await mutate('deleteUser', { id: user.id });
  expect((await door.get(user.id)).status).toBe(404);
});
