import { describe, expect, test } from 'vitest';
import { createUser, execute, fetchData, getErrorCode, mutate, readUser } from './client.ts';

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

describe('updateUser and replaceUser', () => {
  test('change nothing if no field is sent', async () => {
    const user = await createUser();
    expect((await mutate('updateUser', { id: user.id })).payload?.user).toEqual(user);
  });

  test('return BAD_USER_INPUT for null or a missing field, and change nothing', async () => {
    const { version, ...user } = await createUser();
    expect(getErrorCode(await mutate('updateUser', { id: user.id, name: null }))).toBe('BAD_USER_INPUT');
    expect(getErrorCode(await mutate('updateUser', { id: user.id, email: null }))).toBe('BAD_USER_INPUT');
    expect(getErrorCode(await mutate('replaceUser', { id: user.id, name: 'Half' }))).toBe('BAD_USER_INPUT');
    expect(await readUser(user.id)).toMatchObject({ ...user, version });
  });

  test('return CONFLICT for an address that another user has, and change nothing', async () => {
    const [user, { email }] = [await createUser(), await createUser()];
    expect(getErrorCode(await mutate('updateUser', { id: user.id, email }))).toBe('CONFLICT');
    expect(getErrorCode(await mutate('replaceUser', { id: user.id, name: 'No', email }))).toBe('CONFLICT');
    expect(await readUser(user.id)).toMatchObject(user);
  });

  test('make later fields of the request see the change', async () => {
    const { id } = await createUser();
    const document = `mutation ($id: ID!) {
      one: updateUser(input: { id: $id, name: "One" }) { user { name version } }
      two: updateUser(input: { id: $id, name: "Two" }) { user { name version } }
    }`;
    expect(await fetchData(document, { id })).toEqual({
      one: { user: { name: 'One', version: 2 } },
      two: { user: { name: 'Two', version: 3 } },
    });
  });
});

test('a failed mutation does not affect the others in its document', async () => {
  const { id } = await createUser();
  const document = `mutation ($id: ID!) {
    first: updateUser(input: { id: $id, name: "First" }) { user { name } }
    stale: updateUser(input: { id: $id, name: "Stale", ifVersion: 1 }) { user { name } }
    unknown: deletePost(input: { id: "x" }) { id }
    last: createPost(input: { authorId: $id, title: "Last" }) { post { title author { name } } }
  }`;
  const { data, errors } = await execute(document, { id });
  expect(data).toEqual({
    first: { user: { name: 'First' } },
    stale: null,
    unknown: null,
    last: { post: { title: 'Last', author: { name: 'First' } } },
  });
  expect(errors).toMatchObject([
    { path: ['stale'], extensions: { code: 'PRECONDITION_FAILED' } },
    { path: ['unknown'], extensions: { code: 'NOT_FOUND' } },
  ]);
});

describe.each([
  ['updateUser', { name: 'Changed' }],
  ['replaceUser', { name: 'Changed', email: 'changed@example.org' }],
  ['deleteUser', {}],
])('%s', (mutation, fields) => {
  test('succeeds if ifVersion is the version of the user', async () => {
    const { id, version } = await createUser();
    expect((await mutate(mutation, { id, ...fields, ifVersion: version })).errors).toBeUndefined();
    await mutate('deleteUser', { id });
  });

  test('returns PRECONDITION_FAILED for another ifVersion, and changes nothing', async () => {
    const user = await createUser();
    for (const ifVersion of [user.version + 1, 0, -1])
      expect(getErrorCode(await mutate(mutation, { id: user.id, ...fields, ifVersion }))).toBe('PRECONDITION_FAILED');
    expect(await readUser(user.id)).toMatchObject(user);
  });

  test('returns NOT_FOUND for an unknown id', async () => {
    for (const [id, ifVersion] of [[UNKNOWN_ID], [''], [UNKNOWN_ID, 1]] as const)
      expect(getErrorCode(await mutate(mutation, { id, ...fields, ifVersion }))).toBe('NOT_FOUND');
  });
});

test('deleteUser returns the id, and another user can have the address', async () => {
  const { id, name, email } = await createUser();
  expect((await mutate<{ id: string }>('deleteUser', { id })).payload).toEqual({ id });
  expect(await readUser(id)).toBeNull();
  expect((await createUser({ name, email })).id).not.toBe(id);
});
