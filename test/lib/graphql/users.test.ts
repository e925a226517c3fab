import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newPerson } from '../../setup/test-data.ts';
import { clients } from '../rest/client.ts';
import { createPost, createUser, execute, fetchData, getErrorCode, mutate, readUser } from './client.ts';

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';
const ISO_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('user', () => {
  test('returns exactly the selected fields', async () => {
    const { id, name } = await createUser();
    const response = await execute('query ($id: ID!) { user(id: $id) { handle: name } }', { id });
    expect(response.status).toBe(200);
    expect(JSON.parse(response.text)).toEqual({ data: { user: { handle: name } } });
  });

  test('has times in ISO 8601 UTC, and a change sets only updatedAt', async () => {
    const { id } = await createUser();
    const before = await readUser(id);
    expect(before?.createdAt).toMatch(ISO_UTC);
    expect(before?.updatedAt).toBe(before?.createdAt);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await mutate('updateUser', { id, name: 'Later' });
    const after = await readUser(id);
    expect(after?.createdAt).toBe(before?.createdAt);
    expect(Date.parse(after?.updatedAt ?? '')).toBeGreaterThan(Date.parse(before?.updatedAt ?? ''));
  });

  test.each([UNKNOWN_ID, '', 'ada', '0', '__proto__', '../x', 'USER#x', 'a'.repeat(3000), '\u0000'])(
    'is null without errors for the id %j',
    async (id) => {
      const { text } = await execute('query ($id: ID!) { user(id: $id) { id } post(id: $id) { id } }', { id });
      expect(JSON.parse(text)).toEqual({ data: { user: null, post: null } });
    },
  );

  test('accepts ids in upper case in queries and mutations', async () => {
    const { id } = await createUser();
    const upper = id.toUpperCase();
    expect(await fetchData(`{ one: user(id: "${id}") { id } other: user(id: "${upper}") { id } }`)).toEqual({
      one: { id },
      other: { id },
    });
    expect((await mutate('updateUser', { id: upper, name: 'Grace' })).payload?.user).toMatchObject({
      id,
      name: 'Grace',
    });
    expect((await mutate('deleteUser', { id: upper })).payload).toEqual({ id });
    expect(await readUser(id)).toBeNull();
  });

  test('is found by address ignoring case', async () => {
    const { id, email } = await createUser();
    const query = 'query ($email: String!) { userByEmail(email: $email) { id } }';
    expect(await fetchData(query, { email: email.toUpperCase() })).toEqual({ userByEmail: { id } });
  });
});

describe('createUser', () => {
  test.each([
    ['name', ''],
    ['name', 'n'.repeat(257)],
    ['name', 'a\u0007b'],
    ['email', 'nobody'],
    ['email', `${'x'.repeat(300)}@example.org`],
    ['idempotencyKey', 'k'.repeat(256)],
    ['idempotencyKey', 'a b'],
  ])('returns BAD_USER_INPUT with an issue for an invalid %s, and creates no user: %j', async (field, value) => {
    const input = newPerson();
    const response = await mutate('createUser', { ...input, [field]: value });
    expect(getErrorCode(response)).toBe('BAD_USER_INPUT');
    expect(response.errors?.[0]?.extensions.issues?.[0]).toMatchObject({ path: [field] });
    expect(await fetchData('query ($email: String!) { userByEmail(email: $email) { id } }', input)).toEqual({
      userByEmail: null,
    });
  });

  test('returns current posts when repeated, and none if the user has been deleted since', async () => {
    const input = { ...newPerson(), idempotencyKey: randomUUID() };
    const id = (await mutate('createUser', input)).payload?.user.id ?? '';
    const document = `mutation ($input: CreateUserInput!) {
      createUser(input: $input) { user { name posts { author { name } } } }
    }`;
    const repeat = () => fetchData(document, { input });
    await createPost(id);
    await mutate('updateUser', { id, name: 'Changed' });
    expect(await repeat()).toEqual({
      createUser: { user: { name: input.name, posts: [{ author: { name: 'Changed' } }] } },
    });
    await mutate('deleteUser', { id });
    expect(await repeat()).toEqual({ createUser: { user: { name: input.name, posts: [] } } });
  });

  test('accepts the idempotency key of a create by REST as the same operation', async () => {
    const [bare] = clients.toReversed();
    const [input, key] = [newPerson(), randomUUID()];
    const reply = await bare?.create(input, { 'idempotency-key': key });
    const { payload } = await mutate('createUser', { ...input, idempotencyKey: key });
    expect(reply?.json).toMatchObject({ id: payload?.user.id });
  });
});
