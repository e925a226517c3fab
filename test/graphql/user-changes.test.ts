import { describe, expect, test } from 'vitest';
import { codeOf, dataOf, mutate, newUser, person, readUser } from './client.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';

describe('updateUser and replaceUser', () => {
  test('change what is sent, and count a version', async () => {
    const user = await newUser();
    const renamed = { ...user, name: 'Renamed', version: 2 };
    expect((await mutate('updateUser', { id: user.id, name: 'Renamed' })).payload?.user).toEqual(renamed);
    const input = { id: user.id, ...person() };
    expect((await mutate('replaceUser', input)).payload?.user).toEqual({ ...input, version: 3 });
    expect(await readUser(user.id)).toMatchObject({ ...input, version: 3 });
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
    expect(await readUser(user.id)).toMatchObject({ ...user, version });
  });

  test('are CONFLICT for an address that another has, and change nothing', async () => {
    const [user, { email }] = [await newUser(), await newUser()];
    expect(codeOf(await mutate('updateUser', { id: user.id, email }))).toBe('CONFLICT');
    expect(codeOf(await mutate('replaceUser', { id: user.id, name: 'No', email }))).toBe('CONFLICT');
    expect(await readUser(user.id)).toMatchObject(user);
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
    expect(await readUser(user.id)).toMatchObject(user);
  });

  test.each([NOBODY, 'ada', ''])('is NOT_FOUND for the id %j', async (id) => {
    expect(codeOf(await mutate(mutation, { id, ...fields }))).toBe('NOT_FOUND');
    expect(codeOf(await mutate(mutation, { id, ...fields, ifVersion: 1 }))).toBe('NOT_FOUND');
  });
});

test('deleteUser gives the id, and frees the address', async () => {
  const { id, name, email } = await newUser();
  expect((await mutate<{ id: string }>('deleteUser', { id })).payload).toEqual({ id });
  expect(await readUser(id)).toBeNull();
  expect((await newUser({ name, email })).id).not.toBe(id);
});
