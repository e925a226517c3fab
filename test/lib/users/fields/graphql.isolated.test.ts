import { printSchema, validateSchema } from 'graphql';
import { expect, test, vi } from 'vitest';
import { schema } from '../../../../lib/graphql/schema/schema.ts';
import { findUser } from '../../../../lib/users/read.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { execute, fetchData, mutate } from '../../graphql/client.ts';
import { findUncharged } from '../../graphql/find-uncharged.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

const SELECTION = 'id name nickname memberNumber plan age seat score isStaff birthday lastSeenAt tags phone version';
const VALUES = {
  nickname: 'Enchantress',
  memberNumber: 'AB-0042',
  plan: 'team',
  age: 36,
  seat: 7,
  score: 1.5,
  isStaff: true,
  birthday: '1815-12-10',
  lastSeenAt: '2026-01-31T12:00:00.000Z',
  tags: ['math'],
  phone: null,
};

type Shown = { user: typeof VALUES & { id: string } };

async function change(name: 'createUser' | 'replaceUser' | 'updateUser', input: object) {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`;
  const document = `mutation ($input: ${type}!) { ${name}(input: $input) { user { ${SELECTION} } } }`;
  return (await fetchData<Record<string, Shown>>(document, { input }))[name]?.user;
}

test('bulk mutations accept the same values as others', async () => {
  const { phone: _, ...values } = VALUES;
  const shown = { ...values, nickname: null, memberNumber: null, seat: null };
  const created = await fetchData<Record<string, { results: Shown[] }>>(
    `mutation ($input: CreateUsersInput!) { all: createUsers(input: $input) { results { user { ${SELECTION} } error { message } } } }`,
    { input: { users: [{ ...newPerson(), ...shown }] } },
  );
  const lastSeenAt = '2026-02-28T12:00:00.000Z';
  expect(created.all?.results).toMatchObject([{ user: shown, error: null }]);
  const updated = await fetchData<Record<string, { results: Shown[] }>>(
    `mutation ($input: UpdateUsersInput!) { all: updateUsers(input: $input) { results { user { ${SELECTION} } error { message } } } }`,
    { input: { users: [{ id: created.all?.results[0]?.user.id, lastSeenAt, age: null }] } },
  );
  expect(updated.all?.results).toMatchObject([{ user: { ...shown, lastSeenAt, age: null }, error: null }]);
});

test('the schema with own fields is valid and contains deprecations', () => {
  expect(validateSchema(schema)).toEqual([]);
  expect(printSchema(schema)).toContain('phone: String @deprecated(reason: "Use tags.")');
  expect(printSchema(schema)).toContain('plan: String!');
  expect(printSchema(schema)).toContain('userByNickname(nickname: String!): User');
});

test('mutations store the values, queries show them, and lookups find by unique ones', async () => {
  const { phone: _, ...values } = VALUES;
  const user = await change('createUser', { ...newPerson(), ...values, phone: null });
  expect(user).toMatchObject(VALUES);
  const found = await fetchData<Record<string, { id: string } | null>>(`{
    one: userByNickname(nickname: "ENCHANTRESS") { id }
    two: userBySeat(seat: 7) { id }
    three: userByMemberNumber(memberNumber: "AB-0042") { id }
    nobody: userByNickname(nickname: "x") { id }
  }`);
  const { id } = user ?? {};
  expect(found).toEqual({ one: { id }, two: { id }, three: { id }, nobody: null });
  expect(await change('updateUser', { id, age: 40, nickname: null })).toMatchObject({
    ...VALUES,
    age: 40,
    nickname: null,
    version: 2,
  });
  expect(await change('replaceUser', { id, ...newPerson(), score: null })).toMatchObject({
    plan: 'free',
    isStaff: false,
    age: null,
    score: null,
    tags: null,
    version: 3,
  });
});

test('invalid values are BAD_USER_INPUT with the path, and a taken one is CONFLICT', async () => {
  const { errors } = await mutate('createUser', { ...newPerson(), age: 200 });
  expect(errors?.[0]?.extensions).toEqual({
    code: 'BAD_USER_INPUT',
    reason: 'BAD_USER_INPUT',
    issues: [{ path: ['age'], message: 'must be at most 150' }],
  });
  await mutate('createUser', { ...newPerson(), nickname: 'Taken' });
  const taken = await mutate('createUser', { ...newPerson(), nickname: 'taken' });
  expect(taken.errors?.[0]).toMatchObject({
    message: 'Another user has this nickname',
    extensions: { code: 'CONFLICT' },
  });
  const date = await mutate('createUser', { ...newPerson(), birthday: '2026-13-01' });
  expect(date.errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
});

test('a query with a deprecated field returns the deprecation', async () => {
  const { text } = await execute('{ users { edges { node { phone } } } }');
  expect(JSON.parse(text).extensions.deprecations[0]).toContain('Use tags.');
});

test('every resolver that sends a request to the table charges the budget', async () => {
  const examples = {
    userByNickname: { nickname: 'Enchantress' },
    userByMemberNumber: { memberNumber: 'AB-0042' },
    userBySeat: { seat: 7 },
  };
  expect(await findUncharged(schema, examples)).toEqual([]);
});

test('a resolver that reads without charging fails the check', async () => {
  const field = schema.getQueryType()?.getFields().user;
  Object.assign(field ?? {}, { resolve: (_: unknown, { id }: { id: string }) => findUser(id) });
  expect(await findUncharged(schema, {}, 'user')).toEqual(['Query.user']);
});
