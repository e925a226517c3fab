import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';
import { createCaller, newOperator as createOperator, newPerson as createPerson, type Person } from './person.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/person-fields.json';
});

const log: string[] = [];

beforeAll(() => {
  vi.spyOn(console, 'info').mockImplementation((line) => void log.push(JSON.stringify(line)));
  vi.stubEnv('SELF_DELETE', 'delete');
});
startServiceBeforeAll();

const newPerson = (claims: object = {}) => createPerson(service.url, issuer, claims);
const newOperator = (claims: object = {}) => createOperator(service.url, issuer, claims);

const ME = '/v1/users/me';
const PATHS = [ME, '/api/users/me'];
const unwrap = (path: string, body: unknown) => (path.startsWith('/api') ? (body as { data: unknown }).data : body);

describe.each(PATHS)('%s', (path) => {
  test("returns 404, then the record from POST, with the token's address and without hidden fields", async () => {
    const ada = await newPerson();
    expect(await ada.send(path)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    const created = await ada.send(path, { method: 'POST', body: { name: 'Ada', nickname: ada.subject.slice(0, 40) } });
    const record = unwrap(path, created.body) as { id: string };
    expect(created).toMatchObject({ status: 201 });
    expect(record).toEqual({
      id: expect.any(String),
      name: 'Ada',
      email: ada.email,
      nickname: ada.subject.slice(0, 40),
      plan: 'free',
    });
    expect(created.headers.get('location')).toBe(path);
    const read = await ada.send(path);
    expect(unwrap(path, read.body)).toEqual(record);
    for (const { headers } of [created, read])
      expect([headers.get('etag'), headers.get('cache-control')]).toEqual([
        expect.stringMatching(new RegExp(`^"${record.id}\\.1-[\\w-]{11}"$`)),
        'no-store',
      ]);
    expect(await ada.send(path, { method: 'HEAD' })).toMatchObject({ status: 200, body: undefined });
    const operator = await newOperator();
    expect(await operator.send(`/v1/users/${record.id}`)).toMatchObject({ body: { sub: ada.subject } });
    expect(await operator.send(`/v1/users?sub=${encodeURIComponent(ada.subject)}`)).toMatchObject({
      body: [{ id: record.id }],
    });
  });

  test.each(['PUT', 'OPTIONS'])('%s is 405', async (method) => {
    const ada = await newPerson();
    const answer = await ada.send(path, { method, ...(method === 'PUT' ? { body: { name: 'Ada' } } : {}) });
    expect(answer).toMatchObject({ status: 405 });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, POST, PATCH, DELETE');
  });
});

/** Tests one format, because these rules are the same in both. */
describe('an own record', () => {
  const path = ME;

  test('PATCH merges JSON with application/merge-patch+json and replaces it with application/json', async () => {
    const ada = await newPerson();
    await ada.send(path, { method: 'POST', body: { name: 'Ada', settings: { theme: 'dark', size: 12 } } });
    const patch = (body: object, headers = {}) => ada.send(path, { method: 'PATCH', body, headers });
    const merge = { 'content-type': 'application/merge-patch+json' };
    const merged = await patch({ settings: { size: null, tags: [] } }, merge);
    expect(unwrap(path, merged.body)).toMatchObject({ settings: { theme: 'dark', tags: [] } });
    expect((await patch({}, merge)).headers.get('etag')).toBe(merged.headers.get('etag'));
    expect(await patch({ plan: 'pro' }, merge)).toMatchObject({ status: 400, body: { issues: [{ path: ['plan'] }] } });
    expect(unwrap(path, (await patch({ settings: [1] })).body)).toMatchObject({ settings: [1] });
    expect(await ada.graphql('mutation { updateMe(input: { settings: { a: 1 } }) { me { settings } } }')).toEqual({
      data: { updateMe: { me: { settings: { a: 1 } } } },
    });
  });

  test('PATCH changes writable fields, and says which shown members cannot change, but nothing of hidden ones', async () => {
    const ada = await newPerson();
    await ada.send(path, { method: 'POST', body: { name: 'Ada' } });
    const changed = await ada.send(path, { method: 'PATCH', body: { name: 'Ada King' } });
    expect(unwrap(path, changed.body)).toMatchObject({ name: 'Ada King', email: ada.email });
    const unknown = 'is not a known member';
    for (const [body, message] of [
      [{ plan: 'pro' }, 'cannot be changed here'],
      [{ id: 'x' }, 'cannot be changed here'],
      [{ note: 'x' }, unknown],
      [{ sub: 'x' }, unknown],
      [{ unknown: 1 }, unknown],
      [{ createdAt: 'x' }, unknown],
    ] as const) {
      const [member] = Object.keys(body);
      const issues = [{ path: [member], message }];
      expect(await ada.send(path, { method: 'PATCH', body }), member).toMatchObject({ status: 400, body: { issues } });
      const other = await newPerson();
      expect(await other.send(path, { method: 'POST', body: { name: 'Ada', ...body } })).toMatchObject({
        status: 400,
        body: { issues },
      });
    }
    const several = { plan: 'pro', note: 'x', settings: { id: 1 }, nickname: '' };
    expect((await ada.send(path, { method: 'PATCH', body: several })).body).toMatchObject({
      issues: [
        { path: ['nickname'], message: 'must not be empty' },
        { path: ['plan'], message: 'cannot be changed here' },
        { path: ['note'], message: unknown },
      ],
    });
    expect(unwrap(path, (await ada.send(path)).body)).toMatchObject({ name: 'Ada King', plan: 'free' });
    expect(await ada.send(path, { method: 'PATCH', body: {} })).toMatchObject({ status: 200 });
  });

  test('conditions compare the id, too: tags of another record match nothing', async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const { headers } = await ada.send(path, { method: 'POST', body: { name: 'Ada' } });
    await bob.send(path, { method: 'POST', body: { name: 'Bob' } });
    const tag = String(headers.get('etag'));
    const update = (person: typeof ada, match: string) =>
      person.send(path, { method: 'PATCH', body: { name: 'New' }, headers: { 'if-match': match } });
    for (const [tags, status] of [
      ['garbage', 400],
      [`${tag}, garbage`, 400],
      ['*', 412],
      [`"x", ${tag}`, 412],
    ] as const) {
      const excluding = { method: 'PATCH', body: { name: 'New' }, headers: { 'if-none-match': tags } };
      expect(await ada.send(path, excluding), tags).toMatchObject({ status });
    }
    const list = (count: number) => [...Array(count - 1).fill('"x"'), tag].join();
    expect(await update(bob, list(100))).toMatchObject({ status: 412 });
    expect(await update(bob, list(101))).toMatchObject({ status: 400 });
    expect(await update(ada, tag.slice(1, -1))).toMatchObject({ status: 400 });
    expect(await update(bob, tag)).toMatchObject({ status: 412 });
    expect(await update(bob, '"1"')).toMatchObject({ status: 412 });
    expect(await update(ada, `W/${tag}`)).toMatchObject({ status: 412 });
    expect(await ada.send(path, { headers: { 'if-none-match': tag } })).toMatchObject({ status: 304 });
    for (const other of [tag, 'garbage'])
      expect(await bob.send(path, { headers: { 'if-none-match': other } })).toMatchObject({ status: 200 });
    expect(await update(ada, tag)).toMatchObject({ status: 200 });
    const stale = await update(ada, tag);
    expect(stale).toMatchObject({ status: 412 });
    const read = await ada.send(path);
    expect(stale.headers.get('etag')).toBe(read.headers.get('etag'));
    expect(await update(ada, String(stale.headers.get('etag')))).toMatchObject({ status: 200 });
    // The tag without the hash of the own fields, which the client creates from id and version.
    const { id } = unwrap(path, read.body) as { id: string };
    expect(await ada.send(path, { method: 'DELETE', headers: { 'if-match': `"${id}.2"` } })).toMatchObject({
      status: 204,
    });
  });

  test('If-Unmodified-Since compares Last-Modified', async () => {
    const ada = await newPerson();
    await ada.send(path, { method: 'POST', body: { name: 'Ada' } });
    const since = String((await ada.send(path)).headers.get('last-modified'));
    for (const [date, status] of [
      ['Thu, 01 Jan 2026 00:00:00 GMT', 412],
      [since, 200],
    ] as const) {
      const headers = { 'if-unmodified-since': date };
      expect(await ada.send(path, { headers })).toMatchObject({ status });
      expect(await ada.send(path, { method: 'PATCH', body: {}, headers })).toMatchObject({ status });
    }
  });

  test('of ten parallel first requests one creates the record, and the others get 409 with its location', async () => {
    const ada = await newPerson();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ada.send(path, { method: 'POST', body: { name: 'Ada' } })),
    );
    const rejected = answers.filter(({ status }) => status !== 201);
    expect(rejected).toHaveLength(9);
    for (const { status, headers, body } of rejected)
      expect([status, headers.get('location'), body]).toMatchObject([409, path, { code: 'SUBJECT_TAKEN' }]);
  });

  test('DELETE removes the record, and a POST within a day is rejected', async () => {
    const ada = await newPerson();
    await ada.send(path, { method: 'POST', body: { name: 'Ada' } });
    const old = createCaller(service.url, await ada.sign({ auth_time: Math.floor(Date.now() / 1000) - 16 * 60 }));
    const tooOld = await old.send(path, { method: 'DELETE' });
    expect(tooOld).toMatchObject({ status: 403, body: { code: 'SIGN_IN_TOO_OLD' } });
    expect(tooOld.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_user_authentication", max_age="900"',
    );
    // Date.now() is far in the future, because auth_time has seconds.
    for (const time of ['soon', null, {}, Date.now()]) {
      const odd = createCaller(service.url, await ada.sign({ auth_time: time }));
      expect(await odd.send(path, { method: 'DELETE' }), String(time)).toMatchObject({ status: 403 });
    }
    const fresh = createCaller(service.url, await ada.sign({ auth_time: Math.floor(Date.now() / 1000) - 14 * 60 }));
    expect(await fresh.send(path, { method: 'DELETE' })).toMatchObject({ status: 204 });
    expect(await ada.send(path)).toMatchObject({ status: 404 });
    expect(await ada.send(path, { method: 'POST', body: { name: 'Ada' } })).toMatchObject({
      status: 409,
      body: { code: 'SUBJECT_DELETED' },
    });
    const now = Date.now();
    const { environment } = await import('../../../../lib/environment.ts');
    const clock = vi.spyOn(environment, 'now').mockImplementation(() => now + 25 * 3_600_000);
    const later = createCaller(
      service.url,
      await ada.sign({ iat: Math.floor(now / 1000) + 25 * 3600 - 5, exp: Math.floor(now / 1000) + 26 * 3600 }),
    );
    expect(await later.send(path, { method: 'POST', body: { name: 'Ada' } })).toMatchObject({ status: 201 });
    // The count of the new hour outlives the former deletion.
    const { getItems } = await import('../../../../lib/dynamodb/batch.ts');
    const { personKey } = await import('../../../../lib/features/me/keys.ts');
    const [person] = await getItems([personKey(ada.subject)], { ConsistentRead: true });
    expect(person).toMatchObject({ writes: 1 });
    expect(Number(person?.expiresAt) * 1000).toBeGreaterThan(environment.now());
    clock.mockRestore();
  });
});

describe('the address', () => {
  test.each([
    ['is not verified', { email_verified: false }],
    ['is verified by a word', { email_verified: 'yes' }],
    ['is verified by a number', { email_verified: 1 }],
    ['is missing', { email: undefined }],
    ['is not a string', { email: ['a@example.org'] }],
    ['is invalid', { email: 'ada' }],
  ])('of a token that %s creates no record', async (_, claims) => {
    const ada = await newPerson(claims);
    const detail = 'The token must verify the email address of the person';
    const rejected = { status: 403, body: { code: 'EMAIL_NOT_VERIFIED', detail } };
    expect(await ada.send(ME, { method: 'POST', body: { name: 'Ada' } })).toMatchObject(rejected);
    expect(await ada.send(ME, { method: 'POST', body: { name: 'Ada', email: ada.email } })).toMatchObject(rejected);
    expect(await ada.send(ME)).toMatchObject({ status: 404 });
  });

  test('is compared canonically and stored as in the token', async () => {
    const ada = await newPerson({ email_verified: 'true' });
    const created = await ada.send(ME, { method: 'POST', body: { name: 'Ada', email: ada.email.toUpperCase() } });
    expect(created).toMatchObject({ status: 201, body: { email: ada.email } });
  });

  test("changes only to the token's address", async () => {
    const ada = await newPerson();
    await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
    const patch = { method: 'PATCH', body: { email: `new-${ada.email}` } };
    const message = 'The token has another email address: no other is accepted';
    expect(await ada.send(ME, patch)).toMatchObject({
      status: 403,
      body: { code: 'EMAIL_NOT_VERIFIED', detail: message, issues: [{ path: ['email'], message }] },
    });
    expect(
      await ada.graphql(`mutation { updateMe(input: { email: "${patch.body.email}" }) { me { id } } }`),
    ).toMatchObject({
      errors: [{ message, extensions: { code: 'FORBIDDEN', reason: 'EMAIL_NOT_VERIFIED' } }],
    });
    expect(await ada.send(ME, { method: 'PATCH', body: { email: null } })).toMatchObject({ status: 400 });
    const moved = createCaller(service.url, await ada.sign({ email: `new-${ada.email}` }));
    expect(await moved.send(ME, patch)).toMatchObject({ status: 200, body: { email: `new-${ada.email}` } });
  });

  test('of another user causes a conflict without an id, and links no records', async () => {
    const [ada, operator] = [await newPerson(), await newOperator()];
    const { body } = await operator.send('/v1/users', { method: 'POST', body: { name: 'Old', email: ada.email } });
    const answer = await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
    expect(answer).toMatchObject({ status: 409, body: { code: 'EMAIL_TAKEN' } });
    expect(JSON.stringify(answer.body)).not.toContain((body as { id: string }).id);
    expect(answer.headers.get('location')).toBeNull();
    expect(await ada.send(ME)).toMatchObject({ status: 404 });
  });
});

test('conflicts are reported in the order subject, address, value', async () => {
  const [ada, bob, operator] = [await newPerson(), await newPerson(), await newOperator()];
  const nickname = ada.subject.slice(6, 40);
  await ada.send(ME, { method: 'POST', body: { name: 'Ada', nickname } });
  const create = (values: object) =>
    operator.send('/v1/users', { method: 'POST', body: { name: 'X', email: bob.email, ...values } });
  const all = { sub: ada.subject, email: ada.email, nickname };
  expect(await create(all)).toMatchObject({ status: 409, body: { code: 'SUBJECT_TAKEN' } });
  expect(await create({ ...all, sub: bob.subject })).toMatchObject({ body: { code: 'EMAIL_TAKEN' } });
  expect(await create({ nickname, sub: bob.subject })).toMatchObject({ body: { code: 'VALUE_TAKEN' } });
  expect(await bob.send(ME, { method: 'POST', body: { name: 'B', nickname } })).toMatchObject({
    body: { code: 'VALUE_TAKEN' },
  });
});

describe('operators', () => {
  test('set a subject at creation or once later, and never change or clear it', async () => {
    const [ada, operator] = [await newPerson(), await newOperator()];
    const { body } = await operator.send('/v1/users', { method: 'POST', body: { name: 'Ada', email: ada.email } });
    const path = `/v1/users/${(body as { id: string }).id}`;
    const write = (method: string, values: object) => operator.send(path, { method, body: values });
    expect(await write('PATCH', { sub: ada.subject })).toMatchObject({ status: 200, body: { sub: ada.subject } });
    expect(await ada.send(ME)).toMatchObject({ status: 200, body: { name: 'Ada' } });
    const fixed = { status: 409, body: { code: 'SUBJECT_FIXED' } };
    const whole = { name: 'Ada', email: ada.email };
    expect(await write('PATCH', { sub: 'other' })).toMatchObject(fixed);
    expect(await write('PUT', { ...whole, sub: 'other' })).toMatchObject(fixed);
    expect(await write('PUT', { ...whole, sub: ada.subject.toUpperCase() })).toMatchObject(fixed);
    for (const method of ['PATCH', 'PUT'])
      expect(await write(method, { ...whole, sub: null }), method).toMatchObject({ status: 400 });
    expect(await write('PUT', { ...whole, nickname: 'a', sub: ada.subject })).toMatchObject({ status: 200 });
    expect((await write('PUT', whole)).body).toEqual({
      id: expect.any(String),
      ...whole,
      sub: ada.subject,
      plan: 'free',
    });
    const mutation = 'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { id } } }';
    expect(await operator.graphql(mutation, { input: { id: path.slice(10), sub: 'other' } })).toMatchObject({
      errors: [{ extensions: { code: 'CONFLICT', reason: 'SUBJECT_FIXED' } }],
    });
    const replacement = 'mutation ($input: ReplaceUserInput!) { replaceUser(input: $input) { user { sub note } } }';
    expect(await operator.graphql(replacement, { input: { id: path.slice(10), ...whole } })).toMatchObject({
      data: { replaceUser: { user: { sub: ada.subject, note: null } } },
    });
  });

  test.each(['', 'a'.repeat(256), 'jürgen', 'a\nb'])('cannot set the subject %j', async (sub) => {
    const [ada, operator] = [await newPerson(), await newOperator()];
    const body = { name: 'Ada', email: ada.email, sub };
    expect(await operator.send('/v1/users', { method: 'POST', body })).toMatchObject({ status: 400 });
  });

  test("delete a person's record, and the person must wait a day", async () => {
    const [ada, operator] = [await newPerson(), await newOperator()];
    const { body } = await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
    await operator.send(`/v1/users/${(body as { id: string }).id}`, { method: 'DELETE' });
    expect(await ada.send(ME, { method: 'POST', body: { name: 'Ada' } })).toMatchObject({
      status: 409,
      body: { code: 'SUBJECT_DELETED' },
    });
  });
});

describe('a token', () => {
  test.each([
    ['of a client, by its client_id', { sub: 'app', client_id: 'app' }],
    ['of a client, by its azp', { sub: 'app', azp: 'app' }],
    ['of a client of Auth0', { sub: 'app@clients', azp: 'app' }],
    ['of a client, by its grant', { gty: 'client-credentials' }],
    ['of a client of Entra ID', { idtyp: 'app' }],
    ['without a subject', { sub: undefined, client_id: 'app' }],
    ['with a long subject', { sub: 'a'.repeat(256) }],
    ['with letters beyond ASCII', { sub: 'ådа' }],
  ])('%s identifies no person', async (_, claims) => {
    const client = await newPerson(claims);
    const noPerson = { status: 403, body: { code: 'NO_PERSON' } };
    expect(await client.send(ME)).toMatchObject(noPerson);
    for (const method of ['POST', 'PATCH'])
      expect(await client.send(ME, { method, body: { name: 'X' } })).toMatchObject(noPerson);
    expect(await client.send(ME, { method: 'DELETE' })).toMatchObject(noPerson);
    expect(await client.send(`${ME}/sign-in`, { method: 'POST', body: { name: 'X' } })).toMatchObject(noPerson);
    expect(await client.graphql('{ me { id } }')).toMatchObject({ errors: [{ extensions: { reason: 'NO_PERSON' } }] });
  });

  test.each([
    ['an empty subject', { sub: '' }],
    ['a number as its subject', { sub: 7 }],
    ['a list as its subject', { sub: ['auth0|ada'] }],
  ])('with %s is rejected', async (_, claims) => {
    const client = await newPerson(claims);
    expect([401, 403]).toContain((await client.send(ME)).status);
  });

  test('with users:self alone grants access to nothing else', async () => {
    const [ada, bob] = [await newPerson(), await newPerson()];
    const { body } = await bob.send(ME, { method: 'POST', body: { name: 'Bob' } });
    const { id } = body as { id: string };
    await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
    for (const path of [
      '/v1/users',
      `/v1/users/${id}`,
      `/v1/users?email=${bob.email}`,
      '/v1/users/ME',
      '/v1/users/%6De',
    ])
      expect(await ada.send(path), path).toMatchObject({ status: 403 });
    for (const method of ['PATCH', 'PUT', 'DELETE'])
      expect(await ada.send(`/v1/users/${id}`, { method, body: { name: 'X' } }), method).toMatchObject({ status: 403 });
    const input = `{ id: "${id}" }`;
    for (const query of [
      `{ user(id: "${id}") { id } }`,
      `{ userByEmail(email: "${bob.email}") { id } }`,
      `{ userBySub(sub: "${bob.subject}") { id } }`,
      `{ a: me { id } b: user(id: "${id}") { id } }`,
      `{ usersByIds(ids: ["${id}"]) { id } }`,
      `{ usersByEmails(emails: ["${bob.email}"]) { id } }`,
      `{ erasure(id: "${id}") { by } }`,
      `mutation { updateUser(input: ${input}) { user { id } } }`,
      `mutation { deleteUser(input: ${input}) { id } }`,
    ]) {
      const { data, errors } = (await ada.graphql(query)) as { data?: { b?: unknown } | null; errors: unknown };
      expect(errors, query).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
      expect(JSON.stringify(data ?? null), query).not.toContain(id);
    }
  });

  test("with users:write has a person's limits at me, and needs users:self there", async () => {
    const both = await newPerson({ scope: 'users:read users:write users:self', groups: ['users-write'] });
    await both.send(ME, { method: 'POST', body: { name: 'Ada' } });
    expect(await both.send(ME, { method: 'PATCH', body: { note: 'x' } })).toMatchObject({ status: 400 });
    const operator = await newPerson({ scope: 'users:read users:write' });
    expect(await operator.send(ME)).toMatchObject({ status: 403 });
    expect(await operator.graphql('{ me { id } }')).toMatchObject({ errors: [{ extensions: { code: 'FORBIDDEN' } }] });
  });
});

test('me is an id nowhere else', async () => {
  const operator = await newOperator();
  for (const path of ['/v1/users/ME', '/v1/users/%6D%65'])
    expect(await operator.send(path)).toMatchObject({ status: 404 });
  expect(await operator.graphql('{ user(id: "me") { id } }')).toEqual({ data: { user: null } });
});

describe('GraphQL', () => {
  test('creates, reads, changes and deletes the record', async () => {
    const ada = await newPerson();
    expect(await ada.graphql('{ me { id } }')).toEqual({ data: { me: null } });
    const notFound = { errors: [{ extensions: { code: 'NOT_FOUND' } }] };
    expect(await ada.graphql('mutation { updateMe(input: { name: "X" }) { me { id } } }')).toMatchObject(notFound);
    const create = 'mutation ($input: CreateMeInput!) { createMe(input: $input) { me { name email plan version } } }';
    expect(await ada.graphql(create, { input: { name: 'Ada', email: null, nickname: null } })).toEqual({
      data: { createMe: { me: { name: 'Ada', email: ada.email, plan: 'free', version: 1 } } },
    });
    expect(await ada.graphql(create, { input: { name: 'Ada' } })).toMatchObject({
      errors: [{ extensions: { code: 'CONFLICT', reason: 'SUBJECT_TAKEN' } }],
    });
    const update = 'mutation ($input: UpdateMeInput!) { updateMe(input: $input) { me { name nickname version } } }';
    const nickname = ada.subject.slice(6, 40);
    expect(await ada.graphql(update, { input: { nickname, ifVersion: 1 } })).toEqual({
      data: { updateMe: { me: { name: 'Ada', nickname, version: 2 } } },
    });
    expect(await ada.graphql(update, { input: { name: 'X', ifVersion: 1 } })).toMatchObject({
      errors: [{ extensions: { code: 'PRECONDITION_FAILED' } }],
    });
    expect(await ada.graphql(update, { input: { email: 'x@example.org' } })).toMatchObject({
      errors: [{ extensions: { code: 'FORBIDDEN', reason: 'EMAIL_NOT_VERIFIED' } }],
    });
    expect(await ada.graphql(update, { input: { plan: 'pro' } })).toMatchObject({
      errors: [{ extensions: { code: 'BAD_USER_INPUT' } }],
    });
    expect(await ada.graphql('mutation { deleteMe { id } }')).toEqual({
      data: { deleteMe: { id: expect.any(String) } },
    });
    expect(await ada.graphql('{ me { id } }')).toEqual({ data: { me: null } });
  });

  test('Me leads to no other type with fields', async () => {
    const { schema } = await import('../../../../lib/graphql/schema/schema.ts');
    const { getNamedType, isLeafType, isObjectType } = await import('graphql');
    const type = schema.getType('Me');
    if (!isObjectType(type)) throw new Error('There is no type Me');
    expect(Object.keys(type.getFields())).toEqual([
      ...['id', 'name', 'email', 'nickname', 'plan', 'bio', 'settings', 'createdAt', 'updatedAt', 'version'],
    ]);
    for (const field of Object.values(type.getFields())) {
      expect(isLeafType(getNamedType(field.type)), field.name).toBe(true);
      expect(field.args).toEqual([]);
    }
    for (const name of ['CreateMePayload', 'SignInPayload', 'UpdateMePayload', 'DeleteMePayload', 'MeChange']) {
      const payload = schema.getType(name);
      if (!isObjectType(payload)) throw new Error(`There is no type ${name}`);
      for (const field of Object.values(payload.getFields())) {
        const named = getNamedType(field.type);
        expect(isLeafType(named) || named.name === 'Me', `${name}.${field.name}`).toBe(true);
      }
    }
  });
});

test('the 61st change of a person within an hour is rejected, and failed changes count', async () => {
  const ada = await newPerson();
  const other = await newPerson();
  const nickname = other.subject.slice(6, 40);
  await other.send(ME, { method: 'POST', body: { name: 'Bob', nickname } });
  // Fix the clock: changes are counted per clock hour, which must not change during the test.
  const { environment } = await import('../../../../lib/environment.ts');
  const start = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const clock = vi.spyOn(environment, 'now').mockImplementation(() => start + 3_590_000);
  const sign = (time: number) =>
    ada.sign({ iat: Math.floor((start + time) / 1000) - 60, exp: Math.floor(start / 1000) + 9000 });
  const early = createCaller(service.url, await sign(0));
  expect(await early.send(ME, { method: 'POST', body: { name: 'Ada' } })).toMatchObject({ status: 201 });
  const probe = () => early.send(ME, { method: 'PATCH', body: { nickname } });
  for (let count = 1; count < 60; count++) expect(await probe()).toMatchObject({ status: 409 });
  const limited = await probe();
  expect(limited).toMatchObject({ status: 429, body: { code: 'TOO_MANY_REQUESTS' } });
  expect(limited.headers.get('retry-after')).toBe('10');
  expect(await early.graphql('mutation { updateMe(input: { name: "A" }) { me { id } } }')).toMatchObject({
    errors: [{ extensions: { code: 'TOO_MANY_REQUESTS', reason: 'TOO_MANY_REQUESTS', retryAfterSeconds: 10 } }],
  });
  expect(await early.send(ME)).toMatchObject({ status: 200 });
  // Equal values write nothing, so they do not count.
  for (const body of [{}, { name: 'Ada' }, { name: 'Ada', email: ada.email, nickname: null }])
    expect(await early.send(ME, { method: 'PATCH', body })).toMatchObject({ status: 200 });
  expect(
    await early.send(ME, { method: 'PATCH', body: { name: 'Ada' }, headers: { 'if-match': '"x"' } }),
  ).toMatchObject({ status: 412 });
  expect((await early.send(ME)).headers.get('etag')).toContain('.1-');
  clock.mockImplementation(() => start + 3_600_000);
  expect(await early.send(ME, { method: 'PATCH', body: { name: 'A' } })).toMatchObject({ status: 200 });
  clock.mockRestore();
});

test('a PATCH with the address as the record shows it writes nothing, although the token has another case', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const body = { name: 'Ada', email: ada.email.toUpperCase(), sub: ada.subject };
  await operator.send('/v1/users', { method: 'POST', body });
  const { headers, body: shown } = await ada.send(ME);
  const answer = await ada.send(ME, { method: 'PATCH', body: { email: body.email } });
  expect(answer).toMatchObject({ status: 200, body: shown as object });
  expect(answer.headers.get('etag')).toBe(headers.get('etag'));
});

test('DELETE returns 405 if selfDelete is off', async () => {
  vi.stubEnv('SELF_DELETE', 'off');
  const ada = await newPerson();
  await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
  for (const method of ['DELETE', 'PUT']) {
    const answer = await ada.send(ME, { method, ...(method === 'PUT' ? { body: {} } : {}) });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, PATCH']);
  }
  expect(await ada.graphql('mutation { deleteMe { id } }')).toMatchObject({
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  });
  expect(await ada.send(ME)).toMatchObject({ status: 200 });
  vi.stubEnv('SELF_DELETE', 'delete');
});

test.each([
  ['DELETE', (person: Person) => person.send(ME, { method: 'DELETE' })],
  ['deleteMe', (person: Person) => person.graphql('mutation { deleteMe { id } }')],
])('%s erases the person, with earlier records, if selfDelete is erase', async (_, remove) => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const create = async () => {
    const input = { name: 'Ada', email: ada.email, sub: ada.subject };
    return ((await operator.send('/v1/users', { method: 'POST', body: input })).body as { id: string }).id;
  };
  const earlier = await create();
  await operator.send(`/v1/users/${earlier}`, { method: 'DELETE' });
  const id = await create();
  vi.stubEnv('SELF_DELETE', 'erase');
  const removed = await remove(ada);
  vi.stubEnv('SELF_DELETE', 'delete');
  expect(JSON.stringify(removed)).not.toContain('error');
  const query = `{ a: erasure(id: "${id}") { by earlierRecords } b: erasure(id: "${earlier}") { by } }`;
  expect(await operator.graphql(query)).toEqual({
    data: { a: { by: 'self', earlierRecords: [earlier] }, b: { by: 'self' } },
  });
});

test('DELETE with a stale ETag erases no earlier record', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const input = { name: 'Ada', email: ada.email, sub: ada.subject };
  const { body } = await operator.send('/v1/users', { method: 'POST', body: input });
  const { id } = body as { id: string };
  await operator.send(`/v1/users/${id}`, { method: 'DELETE' });
  await operator.send('/v1/users', { method: 'POST', body: input });
  vi.stubEnv('SELF_DELETE', 'erase');
  const headers = { 'if-match': `"${id}.1"` };
  expect(await ada.send(ME, { method: 'DELETE', headers })).toMatchObject({ status: 412 });
  vi.stubEnv('SELF_DELETE', 'delete');
  expect(await operator.graphql(`{ erasure(id: "${id}") { by } }`)).toEqual({ data: { erasure: null } });
});

test("a person outside the operators' groups can access nothing else, even with their scopes", async () => {
  const ada = await newPerson({ scope: 'users:read users:write users:self' });
  expect(await ada.send('/v1/users')).toMatchObject({ status: 403 });
  expect(await ada.graphql('{ users { totalCount } }')).toMatchObject({
    errors: [{ extensions: { code: 'FORBIDDEN' } }],
  });
});

test('errors do not reveal the size of hidden fields', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const { body } = await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
  const path = `/v1/users/${(body as { id: string }).id}`;
  const bio = 'é'.repeat(4200);
  const read = async (note: string) => {
    await operator.send(path, { method: 'PATCH', body: { note } });
    return (await ada.send(ME, { method: 'PATCH', body: { bio } })).body;
  };
  const short = await read('n');
  expect(short).toMatchObject({ code: 'BAD_USER_INPUT' });
  expect(await read('n'.repeat(200))).toEqual(short);
});

test('meChanged skips versions from before the record was linked to the person', async () => {
  const [ada, operator] = [await newPerson(), await newOperator()];
  const created = await operator.send('/v1/users', { method: 'POST', body: { name: 'Former', email: ada.email } });
  const path = `/v1/users/${(created.body as { id: string }).id}`;
  await operator.send(path, { method: 'PATCH', body: { name: 'Linked', sub: ada.subject } });
  const { createClient } = await import('../../../../lib/client/client.ts');
  const token = await ada.sign();
  const { me } = createClient({ baseUrl: service.url, auth: () => token });
  const stop = new AbortController();
  const changes = me.changes({ after: new Date(Date.now() - 60_000).toISOString(), signal: stop.signal });
  expect((await changes.next()).value).toMatchObject({ kind: 'UPDATED', me: { name: 'Linked' } });
  stop.abort();
});

test('meChanged skips a version that was damaged by hand', async () => {
  const { table, TableName } = await import('../../../../lib/dynamodb/client.ts');
  const ada = await newPerson();
  const { id } = (await ada.send('/v1/users/me', { method: 'POST', body: { name: 'Ada' } })).body as { id: string };
  const { createClient } = await import('../../../../lib/client/client.ts');
  const token = await ada.sign();
  const { me } = createClient({ baseUrl: service.url, auth: () => token });
  const stop = new AbortController();
  const changes = me.changes({ after: new Date(Date.now() - 60_000).toISOString(), signal: stop.signal });
  const next = async () => (await changes.next()).value;
  expect(await next()).toMatchObject({ kind: 'CREATED', me: { name: 'Ada' } });
  const edit = (createdAt: unknown, version: number) =>
    table.send(
      new UpdateCommand({
        TableName,
        Key: { pk: `USER#${id}`, sk: 'USER' },
        UpdateExpression: 'SET createdAt = :createdAt, version = :version',
        ExpressionAttributeValues: { ':createdAt': createdAt, ':version': version },
      }),
    );
  await edit(0, 2);
  await edit(new Date().toISOString(), 3);
  expect(await next()).toMatchObject({ kind: 'UPDATED', me: { version: 3 } });
  stop.abort();
});

test('writes are by self, and log lines contain a hash of the person', async () => {
  log.length = 0;
  const ada = await newPerson();
  const { body } = await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
  await ada.graphql('{ me { id } }');
  const both = createCaller(service.url, await ada.sign({ scope: 'users:read users:self' }));
  await both.send('/v1/users');
  const operator = await newOperator();
  const query = `{ userHistory(id: "${(body as { id: string }).id}") { nodes { by kind } } }`;
  await vi.waitFor(
    async () =>
      expect(await operator.graphql(query)).toEqual({
        data: { userHistory: { nodes: [{ by: 'self', kind: 'CREATED' }] } },
      }),
    { timeout: 60_000, interval: 100 },
  );
  const lines = log.filter((line) => line.includes('"request"') && line.includes('sha256:'));
  expect(lines.length).toBeGreaterThanOrEqual(2);
  expect(log.join('\n')).not.toContain(ada.subject);
  expect(log.join('\n')).not.toContain(ada.email);
});

test('the client reads, creates, changes, follows and deletes the record', async () => {
  const { createClient } = await import('../../../../lib/client/client.ts');
  const ada = await newPerson();
  const token = await ada.sign();
  const { me, users } = createClient<{ nickname?: string; plan?: string }>({
    baseUrl: service.url,
    auth: () => token,
    fields: ['nickname', 'plan'],
  });
  expect(await me.get()).toBeUndefined();
  const created = await me.create({ name: 'Ada' });
  expect(created).toMatchObject({ name: 'Ada', email: ada.email, plan: 'free', version: 1 });
  expect(await me.get()).toEqual(created);
  const stop = new AbortController();
  const changes = me.changes({ after: new Date(Date.now() - 60_000).toISOString(), signal: stop.signal });
  expect((await changes.next()).value).toMatchObject({ kind: 'CREATED', me: { name: 'Ada', plan: 'free' } });
  const updated = await me.update({ name: 'Ada King' }, { current: created });
  expect(updated).toMatchObject({ name: 'Ada King', version: 2 });
  expect((await changes.next()).value).toMatchObject({ kind: 'UPDATED', me: { version: 2 } });
  stop.abort();
  await expect(me.update({ name: 'X' }, { current: created })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
  await expect(me.create({ name: 'Ada' })).rejects.toMatchObject({ code: 'SUBJECT_TAKEN' });
  // No user has this id.
  await expect(users.delete('me')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await me.delete({ current: updated });
  expect(await me.get()).toBeUndefined();
});

test('an update by the client succeeds after a lost answer', async () => {
  const { createClient } = await import('../../../../lib/client/client.ts');
  const ada = await newPerson();
  let isLost = false;
  const loseFirstUpdate: typeof fetch = async (url, init) => {
    const response = await fetch(url, init);
    if (init?.method !== 'PATCH' || isLost) return response;
    isLost = true;
    throw new TypeError('fetch failed');
  };
  const options = { baseUrl: service.url, auth: await ada.sign(), fetch: loseFirstUpdate, retries: { maxPauseMs: 1 } };
  const { me } = createClient(options);
  const current = await me.create({ name: 'Ada' });
  const updated = await me.update({ name: 'Ada King' }, { current });
  expect({ updated, isLost }).toEqual({ updated: { ...current, name: 'Ada King', version: 2 }, isLost: true });
});

test('cursors of another record are invalid', async () => {
  const { validate, parse } = await import('graphql');
  const { schema } = await import('../../../../lib/graphql/schema/schema.ts');
  const { meChangedDocument } = await import('../../../../lib/client/me.ts');
  expect(validate(schema, parse(meChangedDocument(['nickname', 'plan'])))).toEqual([]);
  const [ada, bob] = [await newPerson(), await newPerson()];
  for (const person of [ada, bob]) await person.send(ME, { method: 'POST', body: { name: 'X' } });
  const open = (person: Pick<typeof ada, 'authorization'>, after?: string) =>
    fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: person.authorization,
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: meChangedDocument([]), variables: { after } }),
    });
  const stream = await open(bob);
  const cursor = String(stream.headers.get('stream-cursor'));
  expect((await open(bob)).status).toBe(429);
  // The right of administrators of a group opens no other streams.
  const authorization = `Bearer ${await bob.sign({ scope: 'users:self users:group' })}`;
  expect((await open({ authorization })).status).toBe(429);
  await stream.body?.cancel();
  const foreign = await open(ada, cursor);
  expect(await foreign.json()).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  const stranger = await newPerson();
  expect(await (await open(stranger)).json()).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
});

test('a token of another issuer than the stored one gets 503, with a retry in an hour', async () => {
  const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
  const { environment } = await import('../../../../lib/environment.ts');
  const { issuerKey } = await import('../../../../lib/features/me/keys.ts');
  vi.spyOn(console, 'error').mockImplementation(() => {});
  // The service has cached the issuer for a minute, and an earlier test was a day ahead.
  const later = Date.now() + 26 * 3_600_000;
  const clock = vi.spyOn(environment, 'now').mockImplementation(() => later);
  const person = await newPerson();
  const ada = createCaller(service.url, await person.sign({ exp: Math.floor(later / 1000) + 600 }));
  await putItems([{ ...issuerKey, issuer: 'https://former.example.org' }]);
  const read = await ada.send(ME);
  expect([read.status, read.headers.get('retry-after')]).toEqual([503, '3600']);
  expect(await ada.graphql('{ me { id } }')).toMatchObject({
    errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 3_600 } }],
  });
  const stream = await ada.send('/graphql', {
    method: 'POST',
    body: { query: 'subscription { meChanged { cursor } }' },
    headers: { accept: 'text/event-stream' },
  });
  expect(stream.body).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
  expect([stream.status, stream.headers.get('retry-after')]).toEqual([503, '3600']);
  await putItems([{ ...issuerKey, issuer: issuer.url }]);
  clock.mockImplementation(() => later + 61_000);
  expect(await ada.send(ME)).toMatchObject({ status: 404 });
  clock.mockRestore();
});

test('an idempotency key is ignored: the subject is the key', async () => {
  const ada = await newPerson();
  const send = () => ada.send(ME, { method: 'POST', body: { name: 'Ada' }, headers: { 'idempotency-key': 'key' } });
  expect(await send()).toMatchObject({ status: 201 });
  expect(await send()).toMatchObject({ status: 409, body: { code: 'SUBJECT_TAKEN' } });
});

test('the table is consistent after all tests', async () => {
  const { checkTable } = await import('../../../../infra/scripts/table-consistency.ts');
  expect((await checkTable()).found).toEqual({});
});
