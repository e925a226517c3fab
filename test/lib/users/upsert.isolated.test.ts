import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { getItems, putItems } from '../../../lib/dynamodb/batch.ts';
import { table } from '../../../lib/dynamodb/client.ts';
import { emailKey, uniqueKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { updateUser } from '../../../lib/users/write.ts';
import { newPerson } from '../../setup/test-data.ts';
import { fetchData } from '../graphql/client.ts';
import { bare, clients, enveloped, parseError, type Response, UNKNOWN_ID } from '../rest/client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

const newKey = () => `Crm-${randomUUID().slice(0, 8)}`;

type User = ReturnType<typeof newPerson> & { id: string };

/** Returns the content of either response format, with own fields. */
const readUser = ({ json }: Pick<Response, 'json'>): User => {
  const { data, ...user } = json as { data?: User } & User;
  return data ?? user;
};

const findIds = async (nickname: string) => ((await bare.list({ nickname })).json as User[]).map(({ id }) => id);

const readVersion = async (id: string) => (await getItems([userKey(id)], { ConsistentRead: true }))[0]?.version;

describe.each(clients)('PUT $path', (client) => {
  test('creates the user with the value of a unique field, then replaces it', async () => {
    const nickname = newKey();
    const person = newPerson();
    const created = await client.upsert({ nickname }, { ...person, age: 30 });
    const user = readUser(created);
    expect(created).toMatchObject({
      status: 201,
      headers: { etag: expect.stringMatching(/^"1/), location: `${client.path}/${user.id}` },
    });
    expect(user).toMatchObject({ ...person, nickname, age: 30 });
    const replaced = await client.upsert({ nickname: nickname.toUpperCase() }, { ...person, name: 'Grace' });
    expect(replaced).toMatchObject({ status: 200, headers: { etag: expect.stringMatching(/^"2/) } });
    expect(replaced.headers).not.toHaveProperty('location');
    const { age: _, ...others } = { ...user, age: undefined };
    expect(readUser(replaced)).toEqual({ ...others, name: 'Grace' });
  });

  test('creates and replaces by the email address, which may contain an unencoded plus', async () => {
    const email = `ada+${randomUUID()}@example.org`;
    const created = await client.upsert({ email: email.replace('+', ' ') }, { name: 'Ada' });
    expect([created.status, readUser(created).email]).toEqual([201, email]);
    expect((await client.upsert({ email }, { name: 'Ada King' })).status).toBe(200);
  });

  test('an equal repetition writes nothing and keeps the ETag, also if it omits the key', async () => {
    const nickname = newKey();
    const person = newPerson();
    const created = await client.upsert({ nickname }, { ...person, nickname });
    const { id } = readUser(created);
    for (const body of [{ ...person, nickname }, person]) {
      const repeated = await client.upsert({ nickname: nickname.toUpperCase() }, body);
      expect(repeated).toMatchObject({ status: 200, json: created.json, headers: { etag: created.headers.etag } });
    }
    expect(await readVersion(id)).toBe(1);
  });

  test('stores the spelling of the body', async () => {
    const nickname = newKey();
    const person = newPerson();
    await client.upsert({ nickname }, person);
    const body = { ...person, nickname: nickname.toUpperCase() };
    const { status, json } = await client.upsert({ nickname }, body);
    expect([status, readUser({ json })]).toMatchObject([200, body]);
  });

  test('If-None-Match: * only creates, and If-Match only replaces', async () => {
    const nickname = newKey();
    const [person, other] = [newPerson(), newPerson()];
    const missing = await client.upsert({ nickname }, person, { 'if-match': '*' });
    expect([missing.status, parseError(missing).error]).toEqual([412, 'No user has this nickname']);
    expect((await client.upsert({ nickname }, person, { 'if-match': '"1"' })).status).toBe(412);
    const created = await client.upsert({ nickname }, person, { 'if-none-match': '*' });
    expect(created.status).toBe(201);
    expect((await client.upsert({ nickname }, other, { 'if-none-match': '*' })).status).toBe(412);
    expect((await client.upsert({ nickname }, other, { 'if-match': '"2"' })).status).toBe(412);
    expect((await client.upsert({ nickname }, other, { 'if-match': `"${UNKNOWN_ID}.1"` })).status).toBe(412);
    const etag = String(created.headers.etag);
    expect((await client.upsert({ nickname }, other, { 'if-match': etag })).status).toBe(200);
    const { id } = readUser(created);
    expect((await client.upsert({ nickname }, person, { 'if-match': `"${id}.2"` })).status).toBe(200);
    expect((await client.upsert({ nickname }, other, { 'if-match': '*' })).status).toBe(200);
  });

  test('another taken value is 409 and changes nothing, for a new user and an existing one', async () => {
    const { email } = readUser(await client.create(newPerson()));
    const nickname = newKey();
    expect((await client.upsert({ nickname }, { name: 'Ada', email })).status).toBe(409);
    expect(await findIds(nickname)).toEqual([]);
    await client.upsert({ nickname }, newPerson());
    expect((await client.upsert({ nickname }, { name: 'Ada', email })).status).toBe(409);
  });
});

test.each<[string, Record<string, string | string[]>, object, string[]]>([
  ['no parameter', {}, {}, []],
  ['two unique fields', { nickname: 'a', email: 'a@example.org' }, {}, ['nickname']],
  ['a repeated parameter', { nickname: ['a', 'b'] }, {}, ['nickname']],
  ['a field that is not unique', { age: '30' }, {}, ['age']],
  ['an unknown field', { crm: '1' }, {}, ['crm']],
  ['an empty value', { nickname: '' }, {}, ['nickname']],
  ['an invalid address', { email: 'ada' }, {}, ['email']],
  ['a value of another type', { seat: 'first' }, {}, ['seat']],
  ['a value outside the pattern', { memberNumber: 'x' }, {}, ['memberNumber']],
  ['a body that contradicts the query', { nickname: 'a' }, { nickname: 'b' }, ['nickname']],
  ['a body without the key', { nickname: 'a' }, { nickname: null }, ['nickname']],
  ['a body with an id', { nickname: 'a' }, { id: UNKNOWN_ID }, ['id']],
  ['another value of include', { nickname: 'a', include: 'posts' }, {}, ['include']],
])('PUT with %s is 400 and names it', async (_, query, more, path) => {
  const response = await bare.upsert(query, { ...newPerson(), ...more });
  expect([response.status, parseError(response).issues?.[0]?.path]).toEqual([400, path]);
});

test('PUT by a number finds the same number', async () => {
  const person = newPerson();
  const seat = 1 + Math.floor(Math.random() * 1e9);
  expect((await bare.upsert({ seat: String(seat) }, person)).status).toBe(201);
  expect((await enveloped.upsert({ seat: String(seat) }, { ...person, seat })).status).toBe(200);
});

test('a body that is not an object is 400', async () => {
  expect((await bare.upsert({ nickname: newKey() }, [newPerson()])).status).toBe(400);
});

test.each([
  ['the same body', (index: number, person: object) => ({ ...person, age: 30 + 0 * index })],
  ['different ages', (index: number, person: object) => ({ ...person, age: 30 + index })],
])('parallel upserts of one key with %s make one user', async (_, createBody) => {
  const nickname = newKey();
  const person = newPerson();
  const responses = await Promise.all(
    Array.from({ length: 6 }, (_, index) => bare.upsert({ nickname }, createBody(index, person))),
  );
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 201]);
  const ids = new Set(responses.map((response) => readUser(response).id));
  expect(ids.size).toBe(1);
  expect(await findIds(nickname)).toEqual([...ids]);
});

/** Runs `act` before the request of this number. */
async function actBefore<Result>(number: number, act: () => Promise<unknown>, run: () => Promise<Result>) {
  let requests = 0;
  table.middlewareStack.add(
    (next) => async (args) => {
      if (++requests === number) await act();
      return next(args);
    },
    { step: 'initialize', name: 'act' },
  );
  try {
    return await run();
  } finally {
    table.middlewareStack.remove('act');
  }
}

describe.each([1, 2, 3])('before request %i of an upsert', (at) => {
  test('a deletion of the user leads to one user with the sent values', async () => {
    const nickname = newKey();
    const before = readUser(await bare.upsert({ nickname }, newPerson()));
    const person = newPerson();
    const remove = () => deleteUser({ id: before.id }, 'test');
    const response = await actBefore(at, remove, () => bare.upsert({ nickname }, person));
    expect(response.status).toBe(201);
    const user = readUser(response);
    expect(user).toMatchObject({ ...person, nickname });
    expect(await findIds(nickname)).toEqual([user.id]);
  });

  test('a change of the key leads to a second user', async () => {
    const [nickname, changed] = [newKey(), newKey()];
    const before = readUser(await bare.upsert({ nickname }, newPerson()));
    const change = () => updateUser({ id: before.id, nickname: changed } as never, 'test');
    const response = await actBefore(at, change, () => bare.upsert({ nickname }, newPerson()));
    expect(response.status).toBe(201);
    expect(await findIds(changed)).toEqual([before.id]);
    expect(await findIds(nickname)).toEqual([readUser(response).id]);
  });

  test('a creation by another request with the same address leads to one user', async () => {
    const nickname = newKey();
    const person = newPerson();
    const create = () => bare.create({ ...person, nickname });
    const response = await actBefore(at, create, () => bare.upsert({ nickname }, { ...person, name: 'Grace' }));
    expect(response.status).toBe(200);
    expect(readUser(response)).toMatchObject({ name: 'Grace', email: person.email });
    expect(await findIds(nickname)).toHaveLength(1);
  });
});

test('replaces the stale claim of a deleted user', async () => {
  const nickname = newKey();
  const person = newPerson();
  const stale = { userId: UNKNOWN_ID, version: 1 };
  await putItems([
    { ...uniqueKey('nickname', nickname.toLowerCase()), ...stale },
    { ...emailKey(person.email.toLowerCase()), ...stale },
  ]);
  const response = await bare.upsert({ nickname }, person);
  expect(response.status).toBe(201);
  expect(await findIds(nickname)).toEqual([readUser(response).id]);
});

test('upsertUsers finds users by a unique field, and clears or keeps the own fields that a user omits', async () => {
  const document = `mutation ($input: UpsertUsersInput!) { upsertUsers(input: $input) {
    results { outcome user { nickname age } error { code issues { path } } }
  } }`;
  const [nickname, person] = [newKey(), newPerson()];
  const upsert = async (user: object, options: object = {}) => {
    const input = { by: 'nickname', users: [user], ...options };
    return (await fetchData<{ upsertUsers: { results: object[] } }>(document, { input })).upsertUsers.results[0];
  };
  expect(await upsert({ ...person, nickname, age: 30 })).toMatchObject({ outcome: 'CREATED' });
  const kept = { outcome: 'UNCHANGED', user: { nickname, age: 30 } };
  expect(await upsert({ ...person, nickname, age: null }, { keepOmitted: true })).toMatchObject(kept);
  const cleared = { outcome: 'UPDATED', user: { nickname, age: null } };
  expect(await upsert({ ...person, nickname })).toMatchObject(cleared);
  const missing = { outcome: null, error: { code: 'BAD_USER_INPUT', issues: [{ path: ['nickname'] }] } };
  expect(await upsert(person)).toMatchObject(missing);
  const { email } = newPerson();
  expect(await upsert({ name: 'Moved', email, nickname })).toMatchObject({ outcome: 'UPDATED' });
  expect(await findIds(nickname)).toHaveLength(1);
});
