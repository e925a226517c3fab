import { beforeAll, describe, expect, test, vi } from 'vitest';
import { AUDIENCE, newKey, startIssuer } from '../../auth/issuer.ts';
import { issuer, service, startServiceBeforeAll } from '../../auth/service-with-tokens.ts';
import { newOperator as createOperator, newPerson as createPerson, type Person } from './person.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/logins-fields.json';
});

const log: string[] = [];

beforeAll(() => {
  for (const level of ['info', 'warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((line) => void log.push(JSON.stringify(line)));
  vi.stubEnv('SELF_DELETE', 'delete');
});
startServiceBeforeAll();

const ME = '/v1/users/me';
const LOGINS = `${ME}/logins`;
const newPerson = (claims: object = {}) => createPerson(service.url, issuer, claims);
const newOperator = () => createOperator(service.url, issuer);
const now = () => Math.floor(Date.now() / 1000);

async function newOwner() {
  const ada = await newPerson();
  const { body } = await ada.send(ME, { method: 'POST', body: { name: 'Ada' } });
  const { id } = body as { id: string };
  return { ...ada, id, path: `/v1/users/${id}` };
}

const link = ({ send }: Pick<Person, 'send'>, token: unknown, path = LOGINS) =>
  send(path, { method: 'POST', body: { token } });

const readLogins = async (path: string) =>
  ((await (await newOperator()).send(path)).body as { sub?: string[] } | undefined)?.sub;

const rejected = (message: string) => ({ status: 400, body: { issues: [{ path: ['token'], message }] } });
const conflict = (code: string) => ({ status: 409, body: { code } });

describe.each([LOGINS, '/api/users/me/logins'])('POST %s', (path) => {
  test('adds the login of a second token, which then uses the record', async () => {
    const [ada, work] = [await newOwner(), await newPerson()];
    const added = await link(ada, await work.sign(), path);
    const record = { id: ada.id, name: 'Ada', email: ada.email };
    expect(added).toMatchObject({ status: 200, body: path.startsWith('/api') ? { data: record } : record });
    expect(JSON.stringify(added.body)).not.toContain(work.subject);
    expect(added.headers.get('cache-control')).toBe('no-store');
    expect(added.headers.get('etag')).toBe((await work.send(ME)).headers.get('etag'));
    expect(await readLogins(ada.path)).toEqual([ada.subject, work.subject]);
    expect(await work.send(ME, { method: 'PATCH', body: { name: 'Ada King' } })).toMatchObject({ status: 200 });
    expect(await ada.send(ME)).toMatchObject({ body: { name: 'Ada King' } });
  });
});

test('addLogin of GraphQL does the same, and names the reason of a conflict', async () => {
  const [ada, work, eve] = [await newOwner(), await newPerson(), await newOwner()];
  const mutation = 'mutation ($token: String!) { addLogin(input: { token: $token }) { me { id } } }';
  expect(await ada.graphql(mutation, { token: await work.sign() })).toEqual({
    data: { addLogin: { me: { id: ada.id } } },
  });
  expect(await work.graphql('{ me { id } }')).toEqual({ data: { me: { id: ada.id } } });
  expect(await ada.graphql(mutation, { token: await eve.sign() })).toMatchObject({
    errors: [{ extensions: { code: 'CONFLICT', reason: 'SUBJECT_TAKEN' } }],
  });
});

test('a replayed token, the token of a login of the record, and the own token change nothing and do not count', async () => {
  const [ada, work] = [await newOwner(), await newPerson()];
  const token = await work.sign();
  const { headers } = await link(ada, token);
  const own = await ada.sign();
  for (const [caller, each] of [
    [ada, token],
    [work, token],
    [work, own],
    [ada, own],
  ] as const) {
    const again = await link(caller, each);
    expect([again.status, again.headers.get('etag')]).toEqual([200, headers.get('etag')]);
  }
  expect(await readLogins(ada.path)).toEqual([ada.subject, work.subject]);
  const { getItems } = await import('../../../../lib/dynamodb/batch.ts');
  const { personKey } = await import('../../../../lib/features/me/keys.ts');
  expect(await getItems([personKey(ada.subject)], { ConsistentRead: true })).toMatchObject([{ writes: 2 }]);
});

const INVALID = 'must be a valid token of the same issuer and audience';
const OLD = 'must be at most 5 minutes old. Sign in again, or refresh the token';
const NOBODY = 'must belong to a person';

describe('a second token', () => {
  test.each<[string, object, string]>([
    ['of a client, by its client_id', { sub: 'app', client_id: 'app' }, NOBODY],
    ['of a client of Auth0', { sub: 'app@clients', azp: 'app' }, NOBODY],
    ['of a client, by its grant', { gty: 'client-credentials' }, NOBODY],
    ['of a client of Entra ID', { idtyp: 'app' }, NOBODY],
    ['with letters beyond ASCII', { sub: 'ådа' }, NOBODY],
    ['without a subject', { sub: undefined }, NOBODY],
    ['of another audience', { aud: 'other' }, INVALID],
    ['that names another issuer', { iss: 'https://id.example.org' }, INVALID],
    ['that has expired', { iat: now() - 60, exp: now() - 1 }, INVALID],
    ['that does not expire', { exp: undefined }, INVALID],
    ['of the future', { iat: now() + 3_000 }, INVALID],
    ['that is 6 minutes old', { iat: now() - 360 }, OLD],
    ['of a sign-in 6 minutes ago, without a time of issue', { iat: undefined, auth_time: now() - 360 }, OLD],
    ['of a sign-in in the future, without a time of issue', { iat: undefined, auth_time: now() + 3_000 }, OLD],
    ['without a time', { iat: undefined }, OLD],
    [
      'for other operations',
      { scope: 'users:read' },
      'must allow the use of own records. This requires the scope users:self',
    ],
  ])('%s adds no login', async (_, claims, message) => {
    const [ada, other] = [await newOwner(), await newPerson()];
    expect(await link(ada, await other.sign(claims))).toMatchObject(rejected(message));
    expect(await readLogins(ada.path)).toEqual([ada.subject]);
  });

  test('of a sign-in 4 minutes ago, without a time of issue, adds a login', async () => {
    const [ada, other] = [await newOwner(), await newPerson()];
    const token = await other.sign({ iat: undefined, auth_time: now() - 240 });
    expect(await link(ada, token)).toMatchObject({ status: 200 });
  });

  test('with another or no signature adds no login', async () => {
    const [ada, other] = [await newOwner(), await newPerson()];
    const [stranger, key] = [await startIssuer(), await newKey('first')];
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const valid = await other.sign();
    const [header = '', payload = '', signature = ''] = valid.split('.');
    const none = encode({ alg: 'none', kid: 'first' });
    const tokens = [
      await stranger.sign({ sub: other.subject, scope: 'users:self' }),
      await issuer.sign({ sub: other.subject, scope: 'users:self' }, key),
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${encode({ iss: issuer.url, aud: AUDIENCE, sub: 'root', scope: 'users:self', exp: now() + 60 })}.${signature}`,
      `${header}.${payload}`,
      'x',
      '',
      `Bearer  ${payload}`,
      `${valid},${valid}`,
    ];
    await stranger.stop();
    for (const token of tokens) expect(await link(ada, token), token).toMatchObject(rejected(INVALID));
    for (const [body, path, message] of [
      [{}, 'token', 'is required'],
      [{ token: null }, 'token', 'must be a string'],
      [{ token: [valid] }, 'token', 'must be a string'],
      [{ token: 'x'.repeat(10_001) }, 'token', 'must have at most 10000 characters'],
      [{ token: valid, name: 'Eve' }, 'name', 'is not a known member'],
    ] as const)
      expect(await ada.send(LOGINS, { method: 'POST', body }), path).toMatchObject({
        status: 400,
        body: { issues: [{ path: [path], message }] },
      });
    expect(await readLogins(ada.path)).toEqual([ada.subject]);
  });

  test('is 503 without the keys of the issuer, and appears in no log', async () => {
    const [ada, work] = [await newOwner(), await newPerson()];
    const token = await work.sign();
    const { TokenVerifier } = await import('../../../../lib/auth/tokens.ts');
    const { IssuerError } = await import('../../../../lib/auth/issuer.ts');
    const { loadVerifier } = await import('../../../../lib/auth/verifier.ts');
    const { verify } = TokenVerifier.prototype;
    const own = await loadVerifier();
    const down = vi.spyOn(TokenVerifier.prototype, 'verify').mockImplementation(function (this: unknown, sent) {
      return this === own ? Promise.reject(new IssuerError('down')) : verify.call(this as never, sent);
    });
    const answer = await link(ada, token);
    down.mockRestore();
    expect(answer).toMatchObject({ status: 503, body: { code: 'SERVICE_UNAVAILABLE' } });
    expect(answer.headers.get('retry-after')).toBe('1');
    await link(ada, `${token}x`);
    await link(ada, token);
    for (const secret of [token, token.split('.')[1], work.subject, work.email])
      expect(log.filter((line) => line.includes(String(secret)))).toEqual([]);
  });
});

test('the caller needs a token of a person, and a record', async () => {
  const [nobody, client, operator, work] = [
    await newPerson(),
    await newPerson({ gty: 'client-credentials' }),
    await newOperator(),
    await newPerson(),
  ];
  const token = await work.sign();
  expect(await link(nobody, token)).toMatchObject({ status: 404 });
  expect(await link(client, token)).toMatchObject({ status: 403, body: { code: 'NO_PERSON' } });
  expect(await link(operator, token)).toMatchObject({ status: 403 });
  expect((await fetch(`${service.url}${LOGINS}`, { method: 'POST', body: '{}' })).status).toBe(401);
});

test('a login that has a record, or had one until yesterday, is a conflict without an id', async () => {
  const [ada, eve, gone] = [await newOwner(), await newOwner(), await newOwner()];
  const taken = await link(ada, await eve.sign());
  expect(taken).toMatchObject(conflict('SUBJECT_TAKEN'));
  expect(taken.headers.get('location')).toBeNull();
  expect(JSON.stringify(taken.body)).not.toContain(eve.id);
  await gone.send(ME, { method: 'DELETE' });
  expect(await link(ada, await gone.sign())).toMatchObject(conflict('SUBJECT_DELETED'));
  expect(await readLogins(ada.path)).toEqual([ada.subject]);
});

test('a full record takes no further login', async () => {
  const ada = await newOwner();
  for (let count = 2; count <= 3; count++)
    expect(await link(ada, await (await newPerson()).sign())).toMatchObject({ status: 200 });
  expect(await link(ada, await (await newPerson()).sign())).toMatchObject(conflict('TOO_MANY_LOGINS'));
});

test('of parallel requests, at most two fit into a record of one login', async () => {
  const ada = await newOwner();
  const tokens = await Promise.all(Array.from({ length: 4 }, async () => (await newPerson()).sign()));
  const answers = await Promise.all(tokens.map((token) => link(ada, token)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 409, 409]);
  expect(await readLogins(ada.path)).toHaveLength(3);
});

test('of two people who add a login at once, one gets it, and its owner may create a record instead', async () => {
  const [ada, bob, work] = [await newOwner(), await newOwner(), await newPerson()];
  const token = await work.sign();
  const answers = await Promise.all([
    link(ada, token),
    link(bob, token),
    work.send(ME, { method: 'POST', body: { name: 'Work' } }),
  ]);
  const won = answers.filter(({ status }) => status < 300);
  expect(won).toHaveLength(1);
  for (const answer of answers) if (answer.status >= 300) expect(answer).toMatchObject(conflict('SUBJECT_TAKEN'));
  expect(won[0]?.body).toMatchObject({ id: ((await work.send(ME)).body as { id: string }).id });
});

test('all logins of a record share the limit of changes', async () => {
  const [ada, work] = [await newOwner(), await newPerson()];
  await link(ada, await work.sign());
  for (const { send } of [work, ada])
    expect(await send(ME, { method: 'PATCH', body: { name: crypto.randomUUID() } })).toMatchObject({ status: 200 });
  const { getItems } = await import('../../../../lib/dynamodb/batch.ts');
  const { personKey } = await import('../../../../lib/features/me/keys.ts');
  const keys = [ada, work].map(({ subject }) => personKey(subject));
  expect(await getItems(keys, { ConsistentRead: true })).toMatchObject([{ ...keys[0], writes: 4 }]);
});

test('failed attempts count as changes', async () => {
  const [ada, eve] = [await newOwner(), await newOwner()];
  const token = await eve.sign();
  const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
  const { personKey } = await import('../../../../lib/features/me/keys.ts');
  const hour = Math.floor(Date.now() / 3_600_000) + 1;
  await putItems([{ ...personKey(ada.subject), countedHour: hour, writes: 59, expiresAt: (hour + 1) * 3_600 }]);
  expect(await link(ada, token)).toMatchObject(conflict('SUBJECT_TAKEN'));
  expect(await link(ada, token)).toMatchObject({ status: 429 });
});

describe('an ID token', () => {
  const newUnverified = () => newPerson({ email: undefined, email_verified: undefined });
  /** Clients get ID tokens without scopes. */
  const signId = ({ sign, email }: Person, claims: object = {}) =>
    sign({ scope: undefined, email, email_verified: true, ...claims });

  test('verifies the address of POST and PATCH', async () => {
    const ada = await newUnverified();
    const create = (body: object) => ada.send(ME, { method: 'POST', body: { name: 'Ada', ...body } });
    expect(await create({})).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } });
    expect(await create({ idToken: await signId(ada) })).toMatchObject({ status: 201, body: { email: ada.email } });
    const email = `new-${ada.email}`;
    const change = (body: object, headers = {}) => ada.send(ME, { method: 'PATCH', body, headers });
    expect(await change({ email })).toMatchObject({ status: 403 });
    const changed = await change({ email, idToken: await signId(ada, { email }) });
    expect(changed).toMatchObject({ status: 200, body: { email } });
    const merged = await change(
      { email: ada.email, idToken: await signId(ada) },
      { 'content-type': 'application/merge-patch+json' },
    );
    expect(merged).toMatchObject({ status: 200, body: { email: ada.email } });
    expect(await change({ email, idToken: await signId(ada) })).toMatchObject({
      status: 403,
      body: { code: 'EMAIL_NOT_VERIFIED' },
    });
    expect((await change({ idToken: await signId(ada) })).headers.get('etag')).toBe(merged.headers.get('etag'));
  });

  test('verifies the address of a sign-in, which links a waiting record as a list of one login', async () => {
    vi.stubEnv('SELF_LINK', 'verified-email');
    const [ada, operator] = [await newUnverified(), await newOperator()];
    const signIn = (body: object) => ada.send(`${ME}/sign-in`, { method: 'POST', body });
    const { body } = await operator.send('/v1/users', { method: 'POST', body: { name: 'Ada', email: ada.email } });
    const { id } = body as { id: string };
    expect(await signIn({})).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } });
    expect(await signIn({ idToken: await signId(ada, { sub: 'eve' }) })).toMatchObject({ status: 400 });
    const linked = await signIn({ idToken: await signId(ada) });
    expect(linked).toMatchObject({ status: 200, body: { id } });
    expect(linked.headers.get('sign-in-outcome')).toBe('linked');
    expect(await readLogins(`/v1/users/${id}`)).toEqual([ada.subject]);
    const eve = await newUnverified();
    const mutation = 'mutation ($idToken: String) { signIn(input: { name: "Eve", idToken: $idToken }) { outcome } }';
    expect(await eve.graphql(mutation, { idToken: await signId(eve) })).toEqual({
      data: { signIn: { outcome: 'created' } },
    });
  });

  test('verifies the address of createMe and updateMe', async () => {
    const ada = await newUnverified();
    const create =
      'mutation ($idToken: String) { createMe(input: { name: "Ada", idToken: $idToken }) { me { email } } }';
    expect(await ada.graphql(create, { idToken: null })).toMatchObject({
      errors: [{ extensions: { reason: 'EMAIL_NOT_VERIFIED' } }],
    });
    expect(await ada.graphql(create, { idToken: await signId(ada) })).toEqual({
      data: { createMe: { me: { email: ada.email } } },
    });
    const email = `new-${ada.email}`;
    const update = `mutation ($idToken: String) { updateMe(input: { email: "${email}", idToken: $idToken }) { me { email } } }`;
    expect(await ada.graphql(update, { idToken: null })).toMatchObject({
      errors: [{ extensions: { reason: 'EMAIL_NOT_VERIFIED' } }],
    });
    expect(await ada.graphql(update, { idToken: await signId(ada, { email }) })).toEqual({
      data: { updateMe: { me: { email } } },
    });
  });

  test.each<[string, object, string]>([
    ['of another person', { sub: 'eve' }, 'must belong to the person of the access token'],
    ['of a client', { idtyp: 'app' }, NOBODY],
    ['of another client', { aud: 'other' }, INVALID],
    ['of another issuer', { iss: 'https://id.example.org' }, INVALID],
    ['that has expired', { iat: now() - 60, exp: now() - 1 }, INVALID],
    ['that is 6 minutes old', { iat: now() - 360 }, OLD],
  ])('%s creates no record', async (_, claims, message) => {
    const ada = await newPerson();
    const issues = [{ path: ['idToken'], message }];
    const body = { name: 'Ada', idToken: await signId(ada, claims) };
    expect(await ada.send(ME, { method: 'POST', body })).toMatchObject({ status: 400, body: { issues } });
    expect(await ada.send(ME)).toMatchObject({ status: 404 });
  });

  test.each<[string, object]>([
    ['without an address', { email: undefined }],
    ['with an address that is not verified', { email_verified: false }],
  ])('%s proves nothing, and does not hide the address of the access token', async (_, claims) => {
    const [ada, bob] = [await newUnverified(), await newPerson()];
    const create = async (person: Person) =>
      person.send(ME, { method: 'POST', body: { name: 'Ada', idToken: await signId(person, claims) } });
    expect(await create(ada)).toMatchObject({ status: 403, body: { code: 'EMAIL_NOT_VERIFIED' } });
    expect(await create(bob)).toMatchObject({ status: 201, body: { email: bob.email } });
  });

  test('adds no login, because it allows no use of own records', async () => {
    const [ada, work] = [await newOwner(), await newPerson()];
    expect(await link(ada, await signId(work))).toMatchObject({ status: 400 });
  });
});
