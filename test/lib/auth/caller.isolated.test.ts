import { createHash } from 'node:crypto';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { describe, expect, test, vi } from 'vitest';
import { createAuthorizer } from '../../../infra/local/auth.ts';
import { formatCaller, readCaller, toQuotaKey } from '../../../lib/auth/caller.ts';
import { call, createApiClients, newUser } from './apis.ts';
import { AUDIENCE } from './issuer.ts';
import { issuer, service, startServiceBeforeAll } from './service-with-tokens.ts';

startServiceBeforeAll();

describe('the caller', () => {
  // The cast is safe, because readCaller reads nothing but the authorizer.
  const eventWith = (authorizer?: object) => ({ requestContext: { authorizer } }) as unknown as APIGatewayProxyEventV2;

  const readFrom = (authorizer?: object) => readCaller(eventWith(authorizer));
  const role = 'arn:aws:sts::123456789012:assumed-role/Deploy';

  test.each([
    ['is the subject of a token', 'sub:ada', { jwt: { claims: { sub: 'ada', client_id: 'app' } } }],
    ['is the client if a token has no subject', 'client:app', { jwt: { claims: { client_id: 'app' } } }],
    ['is the client if the subject is empty', 'client:app', { jwt: { claims: { sub: '', client_id: 'app' } } }],
    ['is undefined if a token has neither', undefined, { jwt: { claims: {} } }],
    ['is the subject that a Lambda authorizer names', 'sub:ada', { lambda: { sub: 'ada' } }],
    ['is undefined if a Lambda authorizer names none', undefined, { lambda: null }],
    ['is an IAM user', 'arn:aws:iam::1:user/ada', { iam: { userArn: 'arn:aws:iam::1:user/ada' } }],
    ['is an assumed role without the name of the session', role, { iam: { userArn: `${role}/ada@example.com` } }],
    ['is anonymous without authentication', 'anonymous', undefined],
  ])('%s', (_, caller, authorizer) => {
    expect(readFrom(authorizer)).toBe(caller);
  });

  test('differs for a subject and a client with the same name', () => {
    expect(readFrom({ jwt: { claims: { sub: 'x' } } })).not.toBe(readFrom({ jwt: { claims: { client_id: 'x' } } }));
  });

  test.each([
    ['sub:8f6f3b1e-0000-4000-8000-000000000000', 'sub:8f6f3b1e-0000-4000-8000-000000000000'],
    [`${role}`, role],
    ['sub:ada@example.com', expect.stringMatching(/^sha256:[0-9a-f]{16}$/)],
    ['sub:Ada Lovelace', expect.stringMatching(/^sha256:/)],
    ['arn:aws:iam::1:user/ada@example.com', expect.stringMatching(/^sha256:/)],
    [`sub:${'a'.repeat(253)}`, expect.stringMatching(/^sha256:/)],
    [undefined, 'unknown'],
  ])('%s is logged without an address', (caller, logged) => {
    expect(formatCaller(caller)).toEqual(logged);
  });

  const from = (sourceIp: string) =>
    ({ headers: {}, requestContext: { http: { sourceIp } } }) as unknown as APIGatewayProxyEventV2; // toQuotaKey reads only these members.

  test('has the same quota from any network', () => {
    expect(toQuotaKey(from('192.0.2.1'), 'sub:ada')).toBe(toQuotaKey(from('192.0.2.2'), 'sub:ada'));
    expect(toQuotaKey(from('192.0.2.1'), 'sub:ada')).not.toBe(toQuotaKey(from('192.0.2.1'), 'sub:grace'));
  });

  test.each(['anonymous', undefined])('%s has the quota of its network', (caller) => {
    const identify = (address: string) => toQuotaKey(from(address), caller);
    expect(identify('192.0.2.1')).toBe(identify('192.0.2.1'));
    expect(identify('192.0.2.1')).not.toBe(identify('192.0.2.2'));
    const network = identify('2001:db8:0:1:a:b:c:d');
    for (const same of ['2001:db8:0:1::1', '2001:db8::1:0:0:0:1']) expect(identify(same), same).toBe(network);
    for (const other of ['2001:db8:0:2:a:b:c:d', '2001:db8::1', '::1']) expect(identify(other)).not.toBe(network);
  });

  test('appears as a hash in request logs if the subject is an email address', async () => {
    const log = vi.spyOn(console, 'info').mockImplementation(() => {});
    const { rest, graphql } = createApiClients(() => service.url);
    const token = await issuer.sign({ sub: 'ada@example.com' });
    await rest.read(`Bearer ${token}`);
    await graphql.read(`Bearer ${token}`);
    const lines = log.mock.calls.map(([line]) => line).filter(({ event }) => event === 'request');
    expect(lines.map(({ caller }) => caller)).toEqual([hashed('sub:ada@example.com'), hashed('sub:ada@example.com')]);
    expect(JSON.stringify(lines)).not.toContain('@');
    log.mockRestore();
  });

  /** Hashes like the command in the runbook. */
  const hashed = (caller: string) => `sha256:${createHash('sha256').update(caller).digest('hex').slice(0, 16)}`;
});

describe.each([
  [
    'REST',
    async (token: string, key: string, user: object) => {
      const headers = { 'idempotency-key': key };
      const { body } = await call(`${service.url}/v1/users`, `Bearer ${token}`, { body: user, headers });
      return body as { id?: string; error?: string };
    },
  ],
  [
    'GraphQL',
    async (token: string, key: string, user: object) => {
      const query = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }';
      const variables = { input: { ...user, idempotencyKey: key } };
      const answer = await call(`${service.url}/graphql`, `Bearer ${token}`, { body: { query, variables } });
      const { data, errors } = answer.body as {
        data: { createUser: { user: { id: string } } | null };
        errors?: { message: string }[];
      };
      return { id: data.createUser?.user.id, error: errors?.[0]?.message };
    },
  ],
])('an idempotency key in %s', (_, create) => {
  test('belongs to the subject of the token', async () => {
    const key = crypto.randomUUID();
    const user = newUser();
    const first = await create(await issuer.sign({ sub: 'ada' }), key, user);
    expect(first.id).toBeDefined();
    expect(await create(await issuer.sign({ sub: 'ada', jti: 'another' }), key, user)).toEqual(first);
    expect((await create(await issuer.sign({ sub: 'bob' }), key, user)).error).toMatch(/email/);
  });

  test('belongs to the client if the token has no subject', async () => {
    const key = crypto.randomUUID();
    const user = newUser();
    const first = await create(await issuer.sign({ sub: undefined, client_id: 'app' }), key, user);
    expect(first.id).toBeDefined();
    expect(await create(await issuer.sign({ sub: undefined, client_id: 'app' }), key, user)).toEqual(first);
    expect((await create(await issuer.sign({ sub: undefined, client_id: 'job' }), key, user)).error).toMatch(/email/);
  });

  test('is rejected if the token has neither subject nor client', async () => {
    const token = await issuer.sign({ sub: undefined });
    const { id, error } = await create(token, crypto.randomUUID(), newUser());
    expect(id).toBeUndefined();
    expect(error).toMatch(/^(Idempotency-Key|idempotencyKey): requires a token with the claim sub or client_id$/);
  });
});

test('events contain claims as strings and scopes as a list, as from API Gateway', async () => {
  const authorize = createAuthorizer({ issuer: issuer.url, audience: AUDIENCE });
  const claims = { aud: ['a', AUDIENCE], iat: 1, exp: 4_000_000_000, admin: true, scope: 'users:read other' };
  const authorization = await authorize({ authorization: `Bearer ${await issuer.sign(claims)}` }, 'read');
  const text = { iss: issuer.url, sub: 'ada', aud: `[a ${AUDIENCE}]`, iat: '1', exp: '4000000000', admin: 'true' };
  expect(authorization).toEqual({
    authorizer: { jwt: { claims: { ...text, scope: 'users:read other' }, scopes: ['users:read', 'other'] } },
  });
});
