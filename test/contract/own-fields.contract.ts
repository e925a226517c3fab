import { randomUUID } from 'node:crypto';
import { describe, expect, inject, test } from 'vitest';
import declared from '../setup/own-fields.json' with { type: 'json' };
import { newPerson } from '../setup/test-data.ts';
import { bare, graphql, mutate, parseError, type Reply, restClients, subscriptions } from './client.ts';

const names = inject('ownFields');
const DEFAULTS = { plan: 'free', isStaff: false };
const eventually = { timeout: 120_000, interval: 200 };

const random = (max: number) => Math.floor(Math.random() * max);

const newValues = () => ({
  nickname: `Nick ${randomUUID().slice(0, 18)}`,
  memberNumber: newMemberNumber(),
  plan: 'pro',
  age: 36,
  seat: 1 + random(2 ** 31 - 2),
  score: 99.5,
  isStaff: true,
  birthday: '1815-12-10',
  lastSeenAt: '2026-01-31T12:00:00.000Z',
  tags: ['math', 'poetry'],
  phone: '+44 20 7946 0000',
});

function newMemberNumber(): string {
  const letters = Array.from({ length: 2 }, () => String.fromCharCode(65 + random(26))).join('');
  return `${letters}-${String(random(10_000)).padStart(4, '0')}`;
}

/** Keeps own fields, which the schemas of other contract tests drop. */
function read({ json }: Reply): Record<string, unknown> & { id: string } {
  const { data = json } = json as { data?: unknown };
  return data as Record<string, unknown> & { id: string };
}

const isDeclared = Object.keys(declared).every((name) => names.includes(name));

describe.runIf(isDeclared).each(restClients)('own fields at $path', (client) => {
  test('are created, shown after email, changed, cleared by null and by PUT', async () => {
    const body = { ...newPerson(), ...newValues() };
    const created = await client.create(body);
    const { id } = read(created);
    expect([created.status, read(created)]).toEqual([201, { id, ...body }]);
    expect(Object.keys(read(created)).slice(0, 4)).toEqual(['id', 'name', 'email', 'nickname']);
    expect(read(await client.get(id))).toEqual({ id, ...body });

    const { phone: _, ...rest } = body;
    const changed = await client.update(id, { age: 37, phone: null, plan: null });
    expect([changed.status, changed.headers.etag]).toEqual([200, expect.stringMatching(/^"2-/)]);
    expect(read(changed)).toEqual({ id, ...rest, age: 37, plan: 'free' });
    expect(read(await client.replace(id, read(changed)))).toEqual(read(changed));

    const person = newPerson();
    expect(read(await client.replace(id, { ...person, score: 1e-7 }))).toEqual({
      id,
      ...person,
      ...DEFAULTS,
      score: 1e-7,
    });
  });

  test('are validated, with the path of each issue', async () => {
    const invalid = {
      ...{
        nickname: 'x'.repeat(31),
        memberNumber: 'ab-1',
        plan: 'gold',
        age: 1.5,
        seat: 0,
        score: 101,
        isStaff: 'yes',
      },
      ...{ birthday: '2026-02-30', lastSeenAt: '2026-01-31' },
    };
    const reply = await client.create({ ...newPerson(), ...invalid });
    expect(reply.status).toBe(400);
    expect(parseError(reply).issues?.map(({ path }) => path[0])).toEqual(Object.keys(invalid));
    const lists = await client.create({ ...newPerson(), tags: ['math', ''] });
    expect(parseError(lists).issues?.map(({ path }) => path)).toEqual([['tags', 1]]);
  });

  test('that are unique find their user ignoring case, and return 409 for other users until cleared', async () => {
    const { nickname, seat } = newValues();
    const owner = read(await client.create({ ...newPerson(), nickname, seat }));
    for (const query of [{ nickname: nickname.toUpperCase() }, { seat: String(seat) }])
      expect(read(await client.list(query))).toEqual([owner]);
    const { id } = read(await client.create(newPerson()));
    for (const taken of [{ nickname: nickname.toLowerCase() }, { seat }]) {
      expect((await client.create({ ...newPerson(), ...taken })).status).toBe(409);
      expect((await client.update(id, taken)).status).toBe(409);
      expect((await client.replace(id, { ...newPerson(), ...taken })).status).toBe(409);
    }
    await client.update(owner.id, { nickname: null, seat: null });
    expect(read(await client.list({ nickname }))).toEqual([]);
    expect(read(await client.update(id, { nickname, seat }))).toMatchObject({ nickname, seat });
  });

  test('that are searched find their user by the beginning of each word', async () => {
    const unique = randomUUID().slice(0, 13);
    const user = read(await client.create({ ...newPerson(), tags: [`Zoë ${unique}`], nickname: `N ${unique}` }));
    const find = async (q: string) => read(await client.list({ q }));
    await expect.poll(() => find(unique), eventually).toEqual([user]);
    await expect.poll(() => find(`zoe ${unique}`), eventually).toEqual([user]);
    const cleared = read(await client.update(user.id, { tags: null, nickname: null }));
    expect(cleared).not.toHaveProperty('tags');
    await expect.poll(() => find(unique), eventually).toEqual([]);
  });
});

describe.runIf(isDeclared)('own fields in GraphQL', () => {
  const selection = `id ${Object.keys(declared).join(' ')}`;

  test('have the same values in GraphQL as in REST', async () => {
    const values = newValues();
    const { payload } = await mutate<{ user: { id: string } }>('createUser', { ...newPerson(), ...values });
    const id = payload?.user.id ?? '';
    expect(read(await bare.get(id))).toMatchObject(values);
    const query = `query ($id: ID!, $nickname: String!, $seat: Int!) {
      user(id: $id) { ${selection} } userByNickname(nickname: $nickname) { id } userBySeat(seat: $seat) { id } }`;
    const { nickname, seat } = values;
    const { data } = await graphql(query, { id, nickname: nickname.toUpperCase(), seat });
    expect(data).toEqual({ user: { id, ...values }, userByNickname: { id }, userBySeat: { id } });
    expect((await mutate('updateUser', { id, age: 200 })).codes).toEqual(['BAD_USER_INPUT']);
    expect((await mutate('createUser', { ...newPerson(), seat })).codes).toEqual(['CONFLICT']);
    await mutate('replaceUser', { id, ...newPerson() });
    const empty = Object.fromEntries(Object.keys(values).map((name) => [name, null]));
    const cleared = await graphql(`query ($id: ID!) { user(id: $id) { ${selection} } }`, { id });
    expect(cleared.data).toEqual({ user: { id, ...empty, ...DEFAULTS } });
  });

  test('are in the changes that a subscription delivers', async () => {
    const { id } = await bare.newUser();
    const query = 'subscription ($id: ID!) { userChanged(id: $id) { user { age tags plan } } }';
    const changes = subscriptions.iterate<{ userChanged: unknown }>({ query, variables: { id } });
    const first = changes.next();
    let received = false;
    first.then(() => (received = true));
    // Repeats a change until one is received, because the stream opens at an unknown time.
    const change = () => bare.update(id, { age: 36, tags: [randomUUID().slice(0, 18)] });
    await expect.poll(async () => (await change()) && received, { interval: 500, timeout: 120_000 }).toBe(true);
    const user = { age: 36, tags: [expect.any(String)], plan: 'free' };
    expect((await first).value?.data?.userChanged).toEqual({ user });
    await changes.return?.();
  });
});
