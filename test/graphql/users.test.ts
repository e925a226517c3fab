import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { clients } from '../rest/client.ts';
import { codeOf, dataOf, execute, mutate, newUser, person, readUser } from './client.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';
const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('user', () => {
  test('gives exactly what is selected', async () => {
    const { id, name } = await newUser();
    const answer = await execute('query ($id: ID!) { user(id: $id) { handle: name } }', { id });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toEqual({ data: { user: { handle: name } } });
  });

  test('has times in ISO 8601 UTC, of which only updatedAt moves', async () => {
    const { id } = await newUser();
    const before = await readUser(id);
    expect(before?.createdAt).toMatch(ISO_UTC);
    expect(before?.updatedAt).toBe(before?.createdAt);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await mutate('updateUser', { id, name: 'Later' });
    const after = await readUser(id);
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
    expect(await readUser(payload?.user.id ?? '')).toMatchObject({ name, email, version: 1 });
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
    const [bare] = clients.toReversed();
    const [input, key] = [person(), randomUUID()];
    const reply = await bare?.create(input, { 'idempotency-key': key });
    const { payload } = await mutate('createUser', { ...input, idempotencyKey: key });
    expect(reply?.json).toMatchObject({ id: payload?.user.id });
  });
});

test.each(clients)('what GraphQL does is seen at $path, and the other way round', async (client) => {
  const { version: _, ...user } = await newUser();
  expect(await client.read(user.id)).toEqual(user);
  const { etag } = (await client.get(user.id)).headers;
  await mutate('updateUser', { id: user.id, name: 'By GraphQL' });
  expect((await client.update(user.id, { name: 'Stale' }, { 'if-match': String(etag) })).status).toBe(412);
  await client.update(user.id, { name: 'By REST' });
  expect(await readUser(user.id)).toMatchObject({ ...user, name: 'By REST', version: 3 });
  await mutate('deleteUser', { id: user.id });
  expect((await client.get(user.id)).status).toBe(404);
});
