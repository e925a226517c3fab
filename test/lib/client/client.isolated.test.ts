import { readdirSync } from 'node:fs';
import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test, vi } from 'vitest';
import {
  ClientError,
  createClient,
  createKey,
  isChanged,
  isEmailTaken,
  isInvalid,
  isNotFound,
  isTaken,
  type User,
} from '../../../lib/client/client.ts';
import { schema } from '../../../lib/graphql/schema/schema.ts';
import { type Service, startServiceHere } from '../../setup/service.ts';
import { newPerson } from '../../setup/test-data.ts';

type Fields = {
  nickname?: string;
  memberNumber?: string;
  seat?: number;
  plan?: 'free' | 'pro' | 'team';
  isStaff?: boolean;
  score?: number;
  lastSeenAt?: string;
  tags?: string[];
};

// Hoisted: the service reads FIELDS_FILE on import.
vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/own-fields.json';
});

let service: Service;
beforeAll(async () => {
  service = await startServiceHere();
});
afterAll(() => service.stop());

type Fault = 'loseRequest' | 'loseAnswer' | 'breakOff' | Response | undefined;

function createFetch(...faults: Fault[]) {
  const sent: { url: string; headers: Headers; method: string }[] = [];
  const faultyFetch: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    sent.push({ url: request.url, headers: request.headers, method: request.method });
    const fault = faults.shift();
    if (fault === 'loseRequest') throw new TypeError('fetch failed');
    if (fault instanceof Response) return fault;
    const response = await fetch(request);
    if (fault === 'loseAnswer') throw new TypeError('fetch failed');
    if (fault === 'breakOff')
      return new Response(new ReadableStream({ pull: (stream) => stream.error(new Error('reset')) }));
    return response;
  };
  return { sent, fetch: faultyFetch };
}

const busy = (status = 503) =>
  new Response(JSON.stringify({ message: 'Too Many Requests' }), { status, headers: { 'retry-after': '0' } });

const connect = (...faults: Fault[]) => {
  const { sent, fetch } = createFetch(...faults);
  return {
    sent,
    ...createClient<Fields>({ baseUrl: service.url, fetch, retries: { maxPauseMs: 5 }, fields: ['nickname'] }),
  };
};

describe('retries', () => {
  test.each(['loseRequest', 'loseAnswer', 'breakOff', 'busy'] as const)(
    'a create whose attempt meets %s creates one user, with the same key',
    async (fault) => {
      const { users, sent } = connect(fault === 'busy' ? busy() : fault);
      const person = newPerson();
      const user = await users.create(person);
      expect(await users.find({ email: person.email })).toMatchObject({ id: user.id });
      const [one, other] = sent.map(({ headers }) => headers.get('idempotency-key'));
      expect(one).toBe(other);
      expect(one).toMatch(/^[0-9a-f]{32}$/);
    },
  );

  test('a create repeated with the same key returns the same user or post', async () => {
    const { users, posts } = connect();
    const [person, idempotencyKey] = [newPerson(), createKey()];
    const user = await users.create(person, { idempotencyKey });
    expect(await users.create(person, { idempotencyKey })).toEqual(user);
    const post = { authorId: user.id, title: 'On Engines' };
    const created = await posts.create(post, { idempotencyKey });
    expect(await posts.create(post, { idempotencyKey })).toEqual(created);
  });

  test.each(['import-имя@example.org', 'jörg', 'a b', '', 'a'.repeat(256)])(
    'a create with the malformed key %j is rejected without a request',
    async (idempotencyKey) => {
      const { users, sent } = connect();
      const error: unknown = await users.create(newPerson(), { idempotencyKey }).catch((error: unknown) => error);
      expect(isInvalid(error) && error.message).toBe('idempotencyKey must be 1 to 255 visible ASCII characters');
      expect(sent).toEqual([]);
    },
  );

  test.each<[Partial<Record<keyof Fields, unknown>> & { name?: string }, object]>([
    [{ name: '\u00a0Renamed ' }, { name: 'Renamed' }],
    [{ nickname: ' Trimmed ' }, { nickname: 'Trimmed' }],
    [{ nickname: undefined, plan: 'team' }, { plan: 'team' }],
    [{ nickname: null }, { nickname: undefined }],
    [
      { plan: null, isStaff: null },
      { plan: 'free', isStaff: false },
    ],
    [{ memberNumber: 'AB-0042' }, { memberNumber: 'AB-0042' }],
    [{ lastSeenAt: '2026-01-31T12:00:00Z' }, { lastSeenAt: '2026-01-31T12:00:00.000Z' }],
    [{ lastSeenAt: '2026-01-31T12:00:00.1239+02:00' }, { lastSeenAt: '2026-01-31T10:00:00.123Z' }],
    [{ lastSeenAt: new Date(0) }, { lastSeenAt: '1970-01-01T00:00:00.000Z' }],
    [{ score: -0 }, { score: 0 }],
    [{ score: 0.1 + 0.2 }, { score: 0.1 + 0.2 }],
    [{ tags: [' one ', 'two'] }, { tags: ['one', 'two'] }],
    [{ tags: [] }, { tags: [] }],
  ])('an update or replacement to %o succeeds after a lost answer', async (sent, stored) => {
    const person = newPerson();
    const own = { nickname: `n-${person.email.slice(0, 20)}`, plan: 'pro' as const, isStaff: true };
    const user = await connect().users.create({ ...person, ...own });
    // The cast is needed because some rows have values that the types reject, such as null.
    const changes = sent as Partial<Fields>;
    const { id } = await connect('loseAnswer').users.update(user, changes);
    const updated = await connect().users.get(id);
    const times = { createdAt: user.createdAt, updatedAt: expect.any(String) };
    expect(updated).toEqual({ id, ...person, ...own, ...stored, ...times, version: 2 });
    // Skip rows with null, which `replace` rejects. A replacement clears omitted fields instead.
    if (!updated || Object.values(sent).includes(null)) return;
    const replaced = await connect('loseAnswer').users.replace(updated, { ...person, ...changes });
    expect(replaced).toEqual({ id, ...person, plan: 'free', isStaff: false, ...stored, ...times, version: 3 });
  });

  test.each<[Partial<Fields> & { name?: string }, Partial<Record<keyof Fields, unknown>> & { name?: string }]>([
    [{ name: 'Other' }, { name: 'Mine' }],
    [{ nickname: 'other' }, { nickname: 'mine' }],
    [{ nickname: 'another' }, { nickname: null }],
    [{ tags: ['one'] }, { tags: ['one', 'two'] }],
    [{ score: 0 }, { score: 0.1 }],
    [{ lastSeenAt: '2026-01-31T12:00:00Z' }, { lastSeenAt: '2026-01-31T12:00:00.001Z' }],
  ])('after another client updates to %o, an update to %o with a lost answer is rejected', async (other, mine) => {
    const { users } = connect();
    const user = await users.create(newPerson());
    await users.update(user, other);
    await expect(connect('loseAnswer').users.update(user, mine as Partial<Fields>)).rejects.toSatisfy(isChanged);
  });

  test('an update that was lost is rejected after two others, the last of which wrote the same value', async () => {
    const { users } = connect();
    const user = await users.create(newPerson());
    let isLost = false;
    const loseFirstUpdate: typeof fetch = async (url, init) => {
      if (isLost) return fetch(url, init);
      isLost = true;
      await users.update(user.id, { nickname: `n-${user.id.slice(-12)}` });
      await users.update(user.id, { name: 'Same' });
      throw new TypeError('fetch failed');
    };
    const options = { baseUrl: service.url, fetch: loseFirstUpdate, retries: { maxPauseMs: 5 }, fields: [] };
    const faulty = createClient<Fields>(options);
    await expect(faulty.users.update(user, { name: 'Same' })).rejects.toSatisfy(isChanged);
  });

  test('an update with a lost answer is rejected if another one follows before the user is read again', async () => {
    const { users } = connect();
    const user = await users.create(newPerson());
    let patches = 0;
    const updateBeforeRead: typeof fetch = async (url, init) => {
      if (init?.method === 'GET') await users.update(user.id, { nickname: `n-${user.id.slice(-12)}` });
      const response = await fetch(url, init);
      if (init?.method === 'PATCH' && ++patches === 1) throw new TypeError('fetch failed');
      return response;
    };
    const options = { baseUrl: service.url, fetch: updateBeforeRead, retries: { maxPauseMs: 5 }, fields: [] };
    const faulty = createClient<Fields>(options);
    await expect(faulty.users.update(user, { name: 'Mine' })).rejects.toSatisfy(isChanged);
  });

  test('after an update of another client, a replacement that would have cleared the field is rejected', async () => {
    const { users } = connect();
    const { email, name } = newPerson();
    const user = await users.create({ email, name });
    await users.update(user, { nickname: 'kept' });
    await expect(connect('loseAnswer').users.replace(user, { email, name })).rejects.toSatisfy(isChanged);
  });

  test('a delete succeeds after a lost answer', async () => {
    const user = await connect().users.create(newPerson());
    const { users } = connect('loseAnswer');
    await users.delete(user);
    expect(await users.get(user.id)).toBeUndefined();
  });

  test('a delete of an unknown id is rejected', async () => {
    await expect(connect().users.delete(crypto.randomUUID())).rejects.toSatisfy(isNotFound);
  });

  test('a delete is rejected if the second attempt returns 403', async () => {
    const { id } = await connect().users.create(newPerson());
    const forbidden = new Response('{}', { status: 403 });
    await expect(connect('loseRequest', forbidden).users.delete(id)).rejects.toMatchObject({ status: 403 });
  });

  test('429 is retried, and its error is thrown after the last attempt', async () => {
    const faults = Array.from({ length: 5 }, () => busy(429));
    await expect(connect(...faults).users.get('x')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 429 });
    const unreachable = Array.from({ length: 5 }, () => 'loseRequest' as const);
    await expect(connect(...unreachable).users.get('x')).rejects.toMatchObject({ code: 'UNREACHABLE', status: 0 });
  });

  test('Retry-After above a minute throws at once', async () => {
    const { users, sent } = connect(new Response('{}', { status: 503, headers: { 'retry-after': '3600' } }));
    await expect(users.get('x')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterMs: 3_600_000 });
    expect(sent).toHaveLength(1);
  });

  test('a mutation of graphql is not retried after a lost answer', async () => {
    const { id: authorId } = await connect().users.create(newPerson());
    const mutation = 'mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }';
    const { graphql, posts, sent } = connect('loseAnswer');
    const post = { authorId, title: 'Once' };
    await expect(graphql(mutation, { input: post })).rejects.toMatchObject({ code: 'UNREACHABLE' });
    expect(sent).toHaveLength(1);
    expect(await Array.fromAsync(posts.list(authorId))).toMatchObject([{ title: 'Once' }]);
    const withKey = { input: { ...post, idempotencyKey: createKey() } };
    await connect('loseAnswer').graphql(mutation, withKey, { idempotent: true });
    expect(await Array.fromAsync(posts.list(authorId))).toHaveLength(2);
  });

  test('a mutation of graphql is retried only after 429', async () => {
    const mutation = 'mutation { createUser(input: { name: "" }) { user { id } } }';
    const throttled = connect(busy(429), busy(503));
    await expect(throttled.graphql(mutation)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(throttled.sent).toHaveLength(2);
    const { graphql, sent } = connect(busy(503), 'loseAnswer');
    expect(await graphql('{ __typename }')).toEqual({ __typename: 'Query' });
    expect(sent).toHaveLength(3);
  });

  test('an answer that is not JSON is UNEXPECTED_ANSWER', async () => {
    const { users } = connect(new Response('<html>Sign in</html>', { status: 200 }));
    await expect(users.get('x')).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  });

  test('a signal ends a request and the pauses between attempts', async () => {
    const stop = new AbortController();
    const { users } = createClient({
      baseUrl: service.url,
      fetch: async () => {
        stop.abort(new Error('stopped'));
        return busy();
      },
    });
    await expect(users.get('x', { signal: stop.signal })).rejects.toThrow('stopped');
  });
});

describe('users', () => {
  test('a change is rejected with the current version if another client has changed the user', async () => {
    const { users } = connect();
    const user = await users.create(newPerson());
    await users.update(user, { name: 'Other' });
    const error = await users.update(user, { name: 'Mine' }).catch((error: unknown) => error);
    expect(isChanged(error) && error.version).toBe(2);
    await expect(users.delete(user)).rejects.toSatisfy(isChanged);
    expect(await users.update(user.id, { name: 'Whatever' })).toMatchObject({ version: 3 });
  });

  test('a change of a listed user is rejected if the user has changed since', async () => {
    const { users, sent } = connect();
    const created = await users.create(newPerson());
    const listed = await users.find({ email: created.email });
    expect(listed).toEqual(created);
    const before = sent.length;
    await users.update(listed ?? '', { plan: 'pro' });
    expect(sent).toHaveLength(before + 1);
    await expect(users.update(listed ?? '', { plan: 'team' })).rejects.toSatisfy(isChanged);
    await expect(users.delete(listed ?? '')).rejects.toSatisfy(isChanged);
  });

  test('a weak ETag contains the version: proxies that compress responses weaken it', async () => {
    const answer = () => new Response(JSON.stringify({ id: '1' }), { headers: { etag: 'W/"3"' } });
    const { me } = createClient({ baseUrl: '', fetch: async () => answer() });
    await expect(me.get()).resolves.toEqual({ id: '1', version: 3 });
  });

  test('a user as read, with changes, can be sent', async () => {
    const { users } = connect();
    const created = await users.create(newPerson());
    const updated = await users.update(created, { ...created, name: 'Updated' });
    const replaced = await users.replace(updated, { ...updated, name: 'Replaced' });
    const results = await users.updateMany([{ user: replaced, changes: { ...replaced, name: 'One of many' } }]);
    expect(results).toMatchObject([{ user: { name: 'One of many', version: 4 } }]);
  });

  test.each(['', '.', '..', '\ud800', 'a/b', 'a?b#c'])('no user has the id %j', async (id) => {
    const { users } = connect();
    expect(await users.get(id)).toBeUndefined();
    await expect(users.update(id, { name: 'Ada' })).rejects.toSatisfy(isNotFound);
    await expect(users.delete(id)).rejects.toSatisfy(isNotFound);
  });

  test('all users are listed once, page by page, and by number', async () => {
    const { users, sent } = connect();
    const before = (await Array.fromAsync(users.list())).length;
    for (let count = 0; count < 5; count++) await users.create(newPerson());
    sent.length = 0;
    const all = await Array.fromAsync(users.list({ pageSize: 2 }));
    expect(new Set(all.map(({ id }) => id)).size).toBe(before + 5);
    expect(sent).toHaveLength(Math.ceil((before + 5) / 2));
    const { users: page, pages, total } = await users.page({ page: 2, limit: 3, order: 'desc' });
    expect({ page, pages, total }).toEqual({
      page: all.toReversed().slice(3, 6),
      pages: Math.ceil(all.length / 3),
      total: all.length,
    });
  });

  test('find returns the user with an address or unique value, or undefined', async () => {
    const { users } = connect();
    const { id, email } = await users.create({ ...newPerson(), seat: 12 });
    expect((await users.find({ email: email.toUpperCase() }))?.id).toBe(id);
    expect((await users.find({ seat: 12 }))?.id).toBe(id);
    expect(await users.find({ nickname: 'nobody' })).toBeUndefined();
  });

  test.each([{}, { nickname: undefined }, { email: undefined }, { seat: null }, { email: 'a@b.co', seat: undefined }])(
    'find rejects %j, for which the service would list users',
    async (by) => {
      const { users, sent } = connect();
      await users.create(newPerson());
      await expect(users.find(by as { email: string })).rejects.toSatisfy(isInvalid);
      expect(sent).toHaveLength(1);
    },
  );

  test('a search for undefined is rejected', async () => {
    const { users } = connect();
    const text = undefined as unknown as string;
    await expect(users.search(text).next()).rejects.toSatisfy(isInvalid);
    await expect(users.searchPage(text)).rejects.toSatisfy(isInvalid);
  });

  test('errors of both APIs have the request id of the log', async () => {
    const { users, graphql } = connect();
    const log = vi.spyOn(console, 'info').mockReturnValue();
    const requests = [
      users.create({ name: '', email: '' }),
      graphql('mutation { deletePost(input: { id: "x" }) { id } }'),
    ];
    const results = await Promise.all(requests.map((request) => request.catch((error: unknown) => error)));
    const logged = log.mock.calls.map(([line]) => line.requestId);
    expect(logged).toHaveLength(2);
    expect(results.map((error) => error instanceof ClientError && error.requestId).toSorted()).toEqual(
      logged.toSorted(),
    );
    log.mockRestore();
  });

  test('null clears an own field, and a replacement clears omitted own fields', async () => {
    const { users } = connect();
    const user = await users.create({ ...newPerson(), nickname: 'cleared', seat: 99 });
    const changed = await users.update(user, { nickname: null });
    expect(changed).not.toHaveProperty('nickname');
    expect(await users.replace(changed, newPerson())).not.toHaveProperty('seat');
  });

  test('errors have codes and issues', async () => {
    const { users } = connect();
    const { email } = await users.create({ ...newPerson(), nickname: 'taken' });
    const taken = await users.create({ name: 'Other', email }).catch((error: unknown) => error);
    expect(isEmailTaken(taken) && taken.issues[0]?.path).toEqual(['email']);
    const other = await users.create({ ...newPerson(), nickname: 'TAKEN' }).catch((error: unknown) => error);
    expect(isEmailTaken(other)).toBe(false);
    expect(isTaken(other) && other.issues[0]?.path).toEqual(['nickname']);
    const invalid = await users.create({ name: '', email }).catch((error: unknown) => error);
    expect(isInvalid(invalid) && invalid.issues).toEqual([{ path: ['name'], message: 'must not be empty' }]);
  });
});

describe('many users at once', () => {
  test('are read in the order of their ids, with the selected own fields', async () => {
    const { users, sent } = connect();
    const [one, other] = [await users.create({ ...newPerson(), nickname: 'many' }), await users.create(newPerson())];
    const unknown = crypto.randomUUID();
    const select = ({ isStaff: _, plan: __, ...selected }: User<Fields>) => selected;
    expect(await users.getMany([other.id, unknown, one.id.toUpperCase(), other.id])).toEqual([
      select(other),
      undefined,
      select(one),
      select(other),
    ]);
    const before = sent.length;
    const ids = Array.from({ length: 250 }, () => one.id);
    expect((await users.getMany(ids)).every((user) => user?.id === one.id)).toBe(true);
    expect(sent.length - before).toBe(3);
    expect(await users.getMany([])).toEqual([]);
  });

  test('of 250 different ids, each user is returned in the place of its id', async () => {
    const { users } = connect();
    const created = await Promise.all(Array.from({ length: 6 }, () => users.create(newPerson())));
    const ids: string[] = Array.from({ length: 250 }, () => crypto.randomUUID());
    for (const [index, at] of [0, 99, 100, 199, 200, 249].entries()) ids[at] = String(created[index]?.id);
    const byId = new Map(created.map((user) => [user.id, user]));
    expect((await users.getMany(ids)).map((user) => user?.id)).toEqual(ids.map((id) => byId.get(id)?.id));
  });

  test('are changed 50 per request, with one result each', async () => {
    const { users, sent } = connect();
    const created = await Promise.all(Array.from({ length: 52 }, () => users.create(newPerson())));
    const before = sent.length;
    const results = await users.updateMany(created.map((user, at) => ({ user, changes: { name: `Person ${at}` } })));
    expect(sent.length - before).toBe(2);
    expect(results.map(({ user }) => user?.name)).toEqual(created.map((_, at) => `Person ${at}`));
    const [stale, current] = [created[0], results[1]?.user];
    if (!stale || !current) throw new Error('Two users were created');
    const [rejected, done, byId, missing] = await users.updateMany([
      { user: stale, changes: { name: 'Stale' } },
      { user: current, changes: { nickname: 'updated-many' } },
      { user: stale.id, changes: { name: 'By id' } },
      { user: crypto.randomUUID(), changes: { name: 'Nobody' } },
    ]);
    expect(isChanged(rejected?.error) && rejected.error.version).toBe(2);
    expect(done?.user).toEqual({ ...current, nickname: 'updated-many', version: 3, updatedAt: expect.any(String) });
    expect(byId?.user?.name).toBe('By id');
    expect(isNotFound(missing?.error)).toBe(true);
  });

  test('long changes need more requests, a failed request keeps the results of others, a busy user is retried', async () => {
    const error = { message: 'Busy', code: 'SERVICE_UNAVAILABLE', reason: null, version: null, issues: null };
    const sent: string[] = [];
    const { users } = createClient<Fields>({
      baseUrl: '',
      fields: ['nickname'],
      retries: { maxPauseMs: 1 },
      fetch: async (_, init) => {
        const body = String(init?.body);
        sent.push(body);
        if (body.length > 100_000 || body.includes('"id":"1"')) return new Response('{}', { status: 413 });
        const ids: { id: string }[] = JSON.parse(body).variables.users;
        const results = ids.map((user) => (sent.length === 3 ? { user: null, error } : { user, error: null }));
        return new Response(JSON.stringify({ data: { updateUsers: { results } } }));
      },
    });
    const nickname = 'x'.repeat(60_000);
    const results = await users.updateMany(['0', '1', '2'].map((user) => ({ user, changes: { nickname } })));
    expect(results.map(({ user, error }) => user?.id ?? error?.status)).toEqual(['0', 413, '2']);
    expect(sent).toHaveLength(4);
  });

  test.each(['loseRequest', 'loseAnswer', 'breakOff'] as const)(
    'an update whose attempt meets %s is done once, and recognised',
    async (fault) => {
      const { users } = connect();
      const created = [await users.create(newPerson()), await users.create(newPerson())];
      const faulty = connect(fault);
      const results = await faulty.users.updateMany(created.map((user) => ({ user, changes: { name: 'Done' } })));
      expect(faulty.sent.filter(({ url }) => url.endsWith('/graphql'))).toHaveLength(2);
      expect(results.map(({ user }) => [user?.name, user?.version])).toEqual([
        ['Done', 2],
        ['Done', 2],
      ]);
    },
  );
});

describe('upserts', () => {
  test.each(['loseRequest', 'loseAnswer', 'breakOff'] as const)(
    'by a unique field create one user, then replace it, also if an attempt meets %s',
    async (fault) => {
      const nickname = createKey().slice(0, 20);
      const person = newPerson();
      const created = await connect(fault).users.upsert({ nickname }, person);
      expect(created).toMatchObject({ ...person, nickname, version: 1 });
      const replaced = await connect(fault).users.upsert({ nickname }, { ...person, name: 'Done' });
      expect(replaced).toMatchObject({ id: created.id, name: 'Done', version: 2 });
      const { email } = newPerson();
      const once = await connect(fault).users.upsert({ email }, { name: 'Once' }, { only: 'create' });
      expect(once).toMatchObject({ email, version: 1 });
    },
  );

  test('with `only` fail if the user exists, or does not exist', async () => {
    const { users } = connect();
    const { email, name } = newPerson();
    await expect(users.upsert({ email }, { name }, { only: 'replace' })).rejects.toSatisfy(isChanged);
    await users.upsert({ email }, { name });
    await expect(users.upsert({ email }, { name }, { only: 'create' })).rejects.toSatisfy(isChanged);
  });

  test('without a value are rejected without a request', async () => {
    const { users, sent } = connect();
    await expect(users.upsert({ nickname: '' }, newPerson())).rejects.toSatisfy(isInvalid);
    expect(sent).toEqual([]);
  });

  test('of many users return a result each, and are repeated after a lost answer', async () => {
    const people = Array.from({ length: 51 }, newPerson);
    const { users, sent } = connect('loseAnswer');
    const results = await users.upsertMany('email', [...people, { name: '', email: 'x' }]);
    expect(sent).toHaveLength(3);
    expect(results.map(({ user }) => user?.email)).toEqual([...people.map(({ email }) => email), undefined]);
    expect(results[51]?.error).toMatchObject({ code: 'BAD_USER_INPUT' });
    const [first] = people;
    if (!first) return;
    const changed = await users.upsertMany('email', [{ ...first, nickname: createKey().slice(0, 20) }]);
    expect(changed).toMatchObject([{ outcome: 'UPDATED' }]);
    const options = { keepOmitted: true };
    expect(await users.upsertMany('email', [first], options)).toMatchObject([{ outcome: 'UNCHANGED' }]);
  });
});

describe('changes since', () => {
  const read = (client: ReturnType<typeof connect>, start?: string | Date, pageSize?: number) =>
    Array.fromAsync(client.users.changesSince(start, { pageSize }));

  test('a time contain deletions, own fields and cursors', async () => {
    const client = connect();
    const { users } = client;
    const start = new Date();
    const user = await users.create({ ...newPerson(), nickname: 'since' });
    await users.delete(await users.update(user, { name: 'Changed' }));
    await expect.poll(() => read(client, start)).toHaveLength(3);
    for (const pageSize of [1, 2, 100]) {
      const changes = await read(client, start, pageSize);
      expect(changes.map(({ kind, id, user }) => [kind, id, user?.nickname])).toEqual([
        ['CREATED', user.id, 'since'],
        ['UPDATED', user.id, 'since'],
        ['DELETED', user.id, undefined],
      ]);
      expect(await read(client, changes[0]?.cursor)).toEqual(changes.slice(1));
    }
    expect((await read(client)).length).toBeGreaterThanOrEqual(3);
  });

  test('onCursor is called after the changes of a page, even an empty one', async () => {
    const { users } = connect('loseAnswer', busy());
    const handed: { cursor: string; taken: number }[] = [];
    let taken = 0;
    const options = { pageSize: 20, onCursor: async (cursor: string) => void handed.push({ cursor, taken }) };
    for await (const _ of users.changesSince(undefined, options)) taken++;
    expect(handed.map((each) => each.taken)).toEqual(
      Array.from({ length: Math.ceil(taken / 20) }, (_, page) => Math.min(taken, 20 * page + 20)),
    );
    const last = handed.at(-1)?.cursor;
    for await (const _ of users.changesSince(last, options)) taken++;
    expect(handed.at(-1)).toEqual({ cursor: expect.any(String), taken });
    expect(handed.at(-1)?.cursor).not.toBe(last);
  });

  test('a time before the oldest change is rejected', async () => {
    const changes = read(connect(), new Date(Date.now() - 26 * 3_600_000));
    await expect(changes).rejects.toThrow(/the change log reaches back to/);
    await expect(changes).rejects.toSatisfy(isInvalid);
  });
});

describe('posts', () => {
  test('are created once, changed, published, listed page by page and deleted', async () => {
    const { id: authorId } = await connect().users.create(newPerson());
    const { posts } = connect('loseAnswer');
    const created = await posts.create({ authorId, title: 'One' });
    for (const title of ['Two', 'Three']) await posts.create({ authorId, title });
    await posts.update(created.id, { title: 'First' });
    expect(await posts.publish(created.id)).toMatchObject({ publishedAt: expect.any(String) });
    const { list } = posts; // Works without its object, like all functions of the client.
    const titles = (await Array.fromAsync(list(authorId, { pageSize: 2 }))).map(({ title }) => title);
    expect(titles).toEqual(['First', 'Two', 'Three']);
    await connect('loseAnswer').posts.delete(created.id);
    expect(await posts.get(created.id)).toBeNull();
    await expect(posts.delete(created.id)).rejects.toSatisfy(isNotFound);
    expect(await Array.fromAsync(posts.list('nobody'))).toEqual([]);
  });
});

test('changes, history and restored users omit own fields without a value', async () => {
  const { users, changes } = connect();
  const start = new Date(Date.now() - 60_000).toISOString();
  const { isStaff: _, plan: __, ...created } = await users.create(newPerson());
  const { id } = created;
  for await (const { user } of changes({ user: id, after: start })) {
    expect(user).toEqual(created);
    break;
  }
  const readHistory = () => Array.fromAsync(users.history(id)).catch(() => []);
  await expect.poll(async () => (await readHistory())[0]?.after).toEqual(created);
  const readChanges = () => Array.fromAsync(users.changesSince(start));
  await expect.poll(async () => (await readChanges()).find((change) => change.id === id)?.user).toEqual(created);
  await users.delete(id);
  const findDeleted = async () => (await Array.fromAsync(users.deleted())).find(({ user }) => user.id === id);
  await expect.poll(async () => (await findDeleted())?.user).toEqual(created);
  expect((await users.deletedPage({ limit: 1 })).deleted).toMatchObject([{ mergedInto: null, user: created }]);
  await expect
    .poll(() => users.restore(id).catch(({ code }: ClientError) => code))
    .toEqual({ ...created, version: 3, updatedAt: expect.any(String) });
});

describe('changes', () => {
  function cutStream(response: Response) {
    let text = '';
    const cut = new TransformStream<string, string>({
      transform(chunk, controller) {
        text += chunk;
        const start = text.indexOf('event: next');
        const end = text.indexOf('\n\n', start);
        if (start < 0 || end < 0) return;
        controller.enqueue(text.slice(0, end + 2));
        controller.terminate();
      },
    });
    const body = response.body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(cut)
      .pipeThrough(new TextEncoderStream());
    return new Response(body ?? null, response);
  }

  test('streams that break repeatedly deliver each change once', async () => {
    const { users } = connect();
    const user = await users.create(newPerson());
    let streams = 0;
    const { changes } = createClient<Fields>({
      baseUrl: service.url,
      retries: { maxPauseMs: 5 },
      fields: ['nickname'],
      fetch: async (input, init) => {
        streams += 1;
        if (streams % 3 === 0) throw new TypeError('fetch failed');
        return cutStream(await fetch(input, init));
      },
    });
    const names = ['One', 'Two', 'Three', 'Four', 'Five'];
    const received: string[] = [];
    const write = async () => {
      for (const name of names) await users.update(user.id, { name, nickname: `n${name}` });
    };
    const writing = write();
    for await (const { kind, user: changed } of changes({
      user: user.id,
      after: new Date(Date.now() - 60_000).toISOString(),
    })) {
      received.push(`${kind} ${changed?.name} ${changed?.nickname ?? ''}`.trim());
      if (changed?.name === 'Five') break;
    }
    await writing;
    expect(received).toEqual([`CREATED ${user.name}`, ...names.map((name) => `UPDATED ${name} n${name}`)]);
    expect(streams).toBeGreaterThan(names.length);
  });

  test('changes between a short stream and the next one are delivered', async () => {
    const { users } = connect();
    const user = await users.create(newPerson());
    let streams = 0;
    const { changes } = createClient({
      baseUrl: service.url,
      retries: { maxPauseMs: 5 },
      fetch: async (input, init) => {
        streams += 1;
        if (streams > 1) return fetch(input, init);
        const { headers } = await fetch(`${service.url}/v1/users`);
        await users.update(user.id, { name: 'Between' });
        return new Response('', {
          headers: { date: String(headers.get('date')), 'content-type': 'text/event-stream' },
        });
      },
    });
    for await (const change of changes({ user: user.id })) {
      if (change.kind === 'CREATED') continue; // The stream starts at a whole second, so the creation may appear.
      expect(change.user?.name).toBe('Between');
      break;
    }
  });

  test('the signal ends the iteration, and permanent errors are thrown', async () => {
    const stop = new AbortController();
    const { changes, users } = connect();
    const { id } = await users.create(newPerson());
    for await (const _ of changes({ signal: stop.signal, after: new Date(Date.now() - 60_000).toISOString() }))
      stop.abort();
    await expect(changes({ user: id, after: 'no cursor' }).next()).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
    await expect(changes({ user: 'nobody' }).next()).rejects.toSatisfy(isNotFound);
  });
});

test('tokens come from a function, and signers sign', async () => {
  const { fetch: send, sent } = createFetch();
  let count = 0;
  const byToken = createClient({ baseUrl: service.url, fetch: send, auth: () => `token-${++count}` });
  await byToken.users.get('x');
  await byToken.users.get('x');
  expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer token-1', 'Bearer token-2']);
  const signer = {
    sign: async (url: string, init: RequestInit) =>
      new Request(url, { ...init, headers: { ...init.headers, 'x-signed': 'yes' } }),
  };
  await createClient({ baseUrl: service.url, fetch: send, auth: signer }).users.get('x');
  expect(sent.at(-1)?.headers.get('x-signed')).toBe('yes');
});

test('graphql runs any operation and throws its first error', async () => {
  const { graphql } = connect();
  expect(await graphql<{ __typename: string }>('{ __typename }')).toEqual({ __typename: 'Query' });
  await expect(graphql('{ nothing }')).rejects.toBeInstanceOf(ClientError);
});

test('every document of the client is valid', async () => {
  const files = readdirSync('lib/client').filter((file) => file.endsWith('.ts'));
  const modules: object[] = await Promise.all(files.map((file) => import(`../../../lib/client/${file}`)));
  const documents = modules
    .flatMap((module) => Object.entries(module))
    // Skips the documents of `me` and groups, which need other settings.
    .filter(([name]) => name.endsWith('Document') && !/^meChanged|Group|Member/.test(name));
  expect(documents.length).toBeGreaterThan(10);
  for (const [name, document] of documents) {
    const text = String(typeof document === 'function' ? document([]) : document);
    expect([name, validate(schema, parse(text))]).toEqual([name, []]);
  }
});

test('the types contain the own fields', () => {
  const { users, changes } = connect();
  expectTypeOf<Awaited<ReturnType<typeof users.get>>>().toEqualTypeOf<User<Fields> | undefined>();
  expectTypeOf(users.create).parameter(0).toHaveProperty('nickname');
  expectTypeOf(users.update).parameter(1).toExtend<{ nickname?: string | null | undefined }>();
  // @ts-expect-error `plan` must be one of three values.
  void (() => users.create({ ...newPerson(), plan: 'gold' }));
  // @ts-expect-error `email` is required.
  void (() => users.create({ name: 'Ada' }));
  // @ts-expect-error `fields` is missing, so users would lack the fields that their type has.
  createClient<Fields>({ baseUrl: '' });
  expectTypeOf<Awaited<ReturnType<ReturnType<typeof changes>['next']>>['value']>().not.toBeAny();
});
