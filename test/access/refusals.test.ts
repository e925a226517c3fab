import { exportSPKI, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Service } from '../../infra/local/service.ts';
import { call, doorsOf, openDoors } from './doors.ts';
import { AUDIENCE, type Issuer, newKey, startIssuer } from './issuer.ts';

const elliptic = await newKey('elliptic', 'ES256');
let issuer: Issuer;
let service: Service;
const doors = doorsOf(() => service.url);
const now = () => Math.floor(Date.now() / 1000);

beforeAll(async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  issuer = await startIssuer();
  issuer.published.unshift(elliptic);
  service = await openDoors({ issuer: issuer.url, audience: AUDIENCE });
});
afterAll(async () => {
  await service.stop();
  await issuer.stop();
});

const UNAUTHENTICATED = {
  REST: { status: 401, body: { message: 'Unauthorized' } },
  GraphQL: { status: 401, body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] } },
};
const FORBIDDEN = {
  REST: { status: 403, body: { message: 'Forbidden' } },
  GraphQL: { status: 403, body: { errors: [{ extensions: { code: 'FORBIDDEN' } }] } },
};

/** Tokens that would open everything but for one fault each, and what the challenge says of it. */
const forgeries: Record<string, [reason: RegExp, forge: () => Promise<string> | string]> = {
  'a token that has expired': [/expired at/, () => issuer.sign({ exp: now() - 5 })],
  'a token that never expires': [/does not expire/, () => issuer.sign({ exp: undefined })],
  'a token that is not valid yet': [/can't be used before/, () => issuer.sign({ nbf: now() + 300 })],
  'a token issued in the future': [/issued in the future/, () => issuer.sign({ iat: now() + 300 })],
  'a token of another issuer': [/Issuer not allowed/, () => issuer.sign({ iss: 'https://issuer.example' })],
  'a token of no issuer': [/Missing Issuer/, () => issuer.sign({ iss: undefined })],
  'a token for another audience': [/Audience/, () => issuer.sign({ aud: 'another' })],
  'a token for another audience, whatever its client': [
    /Audience/,
    () => issuer.sign({ aud: 'another', client_id: AUDIENCE }),
  ],
  'a token for another client where it names no audience': [
    /Audience/,
    () => issuer.sign({ aud: undefined, client_id: 'another' }),
  ],
  'a token for nobody': [/Audience/, () => issuer.sign({ aud: undefined })],
  'a token without a key id': [/kid/, () => issuer.sign({}, undefined, { kid: undefined })],
  'a token with an unknown key id': [/not found/, async () => issuer.sign({}, await newKey('unknown'))],
  "a stranger's token under the issuer's key id": [
    /Invalid signature/,
    async () => issuer.sign({}, await newKey('first')),
  ],
  'a token of an algorithm that API Gateway does not take': [
    /Algorithm not allowed: ES256/,
    () => issuer.sign({}, elliptic),
  ],
  'a token with an extension that has to be understood': [
    /extensions/,
    () => issuer.sign({}, undefined, { crit: ['extension'], extension: 1 }),
  ],
  'an unsigned token (alg: none)': [
    /3 parts/,
    () => new UnsecuredJWT(everything()).setIssuedAt().setExpirationTime('5m').encode(),
  ],
  'a signed token whose header says alg: none': [
    /algorithm not allowed: none/,
    async () => [encode({ alg: 'none', kid: 'first' }), ...(await issuer.sign()).split('.').slice(1)].join('.'),
  ],
  'a token signed with the public key as an HMAC secret (HS256)': [
    /algorithm not allowed: HS256/,
    async () =>
      new SignJWT(everything())
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .setExpirationTime('5m')
        .sign(new TextEncoder().encode(await exportSPKI(published('first').publicKey))),
  ],
  'a token whose claims were changed': [
    /Invalid signature/,
    async () => {
      const [header, payload = '', signature] = (await issuer.sign({ scope: 'users:read' })).split('.');
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
      return `${header}.${encode({ ...claims, scope: 'users:read users:write' })}.${signature}`;
    },
  ],
  'a token without its signature': [/3 parts/, async () => (await issuer.sign()).split('.').slice(0, 2).join('.')],
  'what is no token': [/3 parts/, () => 'secret'],
};

const everything = () => ({ iss: issuer.url, aud: AUDIENCE, sub: 'ada', scope: 'users:read users:write' });
const published = (kid: string) => issuer.published.find((key) => key.kid === kid) ?? expect.fail(`no key ${kid}`);
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe.each(Object.values(doors))('$name', ({ name, read, write }) => {
  const unauthenticated = UNAUTHENTICATED[name as keyof typeof UNAUTHENTICATED];
  const forbidden = FORBIDDEN[name as keyof typeof FORBIDDEN];

  test('asks for a token where there is none', async () => {
    expect(await read()).toMatchObject({ ...unauthenticated, challenge: 'Bearer' });
    expect(await write()).toMatchObject({ ...unauthenticated, challenge: 'Bearer' });
  });

  test('asks for a token where other credentials come', async () => {
    expect(await read('Basic YWRhOnNlY3JldA==')).toMatchObject({ ...unauthenticated, challenge: 'Bearer' });
  });

  test.each(Object.entries(forgeries))('refuses %s', async (_, [reason, forge]) => {
    const answer = await write(`Bearer ${await forge()}`);
    expect(answer).toMatchObject(unauthenticated);
    const [, described] =
      /^Bearer error="invalid_token", error_description="([^"\\]+)"$/.exec(`${answer.challenge}`) ?? [];
    expect(described).toMatch(reason);
  });

  test.each([
    ['a token without scopes', 'write', { scope: undefined }],
    ['a token to read with', 'write', { scope: 'users:read' }],
    ['a scope that only begins alike', 'write', { scope: 'users:write-none users:read' }],
    ['a token to write with', 'read', { scope: 'users:write' }],
  ] as const)('forbids %s to %s', async (_, action, claims) => {
    const answer = await { read, write }[action](`Bearer ${await issuer.sign(claims)}`);
    expect(answer).toMatchObject(forbidden);
    expect(answer.challenge).toBe(`Bearer error="insufficient_scope", scope="users:${action}"`);
  });

  test.each([
    ['a token for the audience', {}],
    ['an audience among others', { aud: ['another', AUDIENCE] }],
    ['a client where the token names no audience', { aud: undefined, client_id: AUDIENCE }],
    ['scopes as a list', { scope: undefined, scp: ['users:write', 'users:read'] }],
    ['scopes as a string under the other name', { scope: undefined, scp: 'users:write users:read' }],
  ])('takes %s', async (_, claims) => {
    const token = await issuer.sign(claims);
    const answers = [await read(`Bearer ${token}`), await write(`bearer ${token}`)];
    expect(answers.map(({ status }) => Math.floor(status / 100))).toEqual([2, 2]);
    expect(answers[1]?.body).not.toHaveProperty('errors');
  });
});

describe('a subscription', () => {
  const subscribe = (authorization?: string) => {
    const headers = { accept: 'text/event-stream' };
    const body = { query: 'subscription { userChanged { kind } }' };
    return call(`${service.url}/graphql`, authorization, { body, headers });
  };

  test('asks for a token', async () => {
    expect(await subscribe()).toMatchObject({ ...UNAUTHENTICATED.GraphQL, challenge: 'Bearer' });
  });

  test.each(Object.entries(forgeries))('refuses %s', async (_, [, forge]) => {
    expect(await subscribe(`Bearer ${await forge()}`)).toMatchObject(UNAUTHENTICATED.GraphQL);
  });

  test('is forbidden to who may only write', async () => {
    const answer = await subscribe(`Bearer ${await issuer.sign({ scope: 'users:write' })}`);
    expect(answer).toMatchObject(FORBIDDEN.GraphQL);
    expect(answer.challenge).toContain('scope="users:read"');
  });

  test('opens for who may read', async () => {
    const left = new AbortController();
    const { status, headers } = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${await issuer.sign({ scope: 'users:read' })}`,
      },
      body: JSON.stringify({ query: 'subscription { userChanged { kind } }' }),
      signal: left.signal,
    });
    left.abort();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toContain('text/event-stream');
  });
});

test('the operation that is run decides on the scope, whatever else the document holds', async () => {
  const query = 'query Read { users { totalCount } } mutation Write { deleteUser(input: { id: "x" }) { id } }';
  const authorization = `Bearer ${await issuer.sign({ scope: 'users:read' })}`;
  const run = (operationName: string) =>
    call(`${service.url}/graphql`, authorization, { body: { query, operationName } });
  expect(await run('Write')).toMatchObject(FORBIDDEN.GraphQL);
  expect(await run('Read')).toMatchObject({ status: 200 });
});

test('strangers learn nothing of the schema', async () => {
  for (const accept of ['application/json', 'text/event-stream'])
    for (const query of ['{ __schema { types { name } } }', '{ user', '{ usr }'])
      expect(await call(`${service.url}/graphql`, undefined, { body: { query }, headers: { accept } })).toMatchObject(
        UNAUTHENTICATED.GraphQL,
      );
});

test('what is forbidden changes nothing', async () => {
  const reader = `Bearer ${await issuer.sign()}`;
  const before = await doors.graphql.read(reader);
  for (const { write } of Object.values(doors)) await write(`Bearer ${await issuer.sign({ scope: 'users:read' })}`);
  expect(await doors.graphql.read(reader)).toEqual(before);
});

test('the log says why a token was refused, and never holds it', async () => {
  const token = await issuer.sign({ aud: 'another' });
  await doors.graphql.read(`Bearer ${token}`);
  expect(console.warn).toHaveBeenLastCalledWith({ event: 'token-refused', reason: 'Audience not allowed' });
  expect(JSON.stringify(vi.mocked(console.warn).mock.calls)).not.toContain(token.split('.')[1]);
});

test("a client's own text cannot break out of the challenge", async () => {
  const token = await issuer.sign({}, await newKey('"\r\nset-cookie: a=b; "\\'));
  const { challenge } = await doors.rest.read(`Bearer ${token}`);
  expect(challenge).toMatch(/^Bearer error="invalid_token", error_description="[^"\\]+"$/);
});
