import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthorizer } from '../../infra/local/authorizer.ts';
import type { Service } from '../../infra/local/service.ts';
import { readCaller } from '../../lib/auth/caller.ts';
import { call, newUser, startServiceWithTokens } from './apis.ts';
import { AUDIENCE, type Issuer, startIssuer } from './issuer.ts';

let issuer: Issuer;
let service: Service;

beforeAll(async () => {
  issuer = await startIssuer();
  service = await startServiceWithTokens({ issuer: issuer.url, audience: AUDIENCE });
});
afterAll(async () => {
  await service.stop();
  await issuer.stop();
});

describe('the caller', () => {
  // The caller is read from the authorizer only.
  const eventWith = (authorizer?: object) => ({ requestContext: { authorizer } }) as unknown as APIGatewayProxyEventV2;

  test.each([
    ["is a token's subject", 'ada', { jwt: { claims: { sub: 'ada', client_id: 'app' } } }],
    ['is the client if a token has no subject', 'app', { jwt: { claims: { client_id: 'app' } } }],
    ['is the client if the subject is empty', 'app', { jwt: { claims: { sub: '', client_id: 'app' } } }],
    ['is an IAM identity', 'arn:aws:iam::1:user/ada', { iam: { userArn: 'arn:aws:iam::1:user/ada' } }],
    ['is anonymous if a token has neither', 'anonymous', { jwt: { claims: {} } }],
    ['is anonymous without authentication', 'anonymous', undefined],
  ])('%s', (_, caller, authorizer) => {
    expect(readCaller(eventWith(authorizer))).toBe(caller);
  });
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
        data: { createUser: { user: { id: string } } } | null;
        errors?: { message: string }[];
      };
      return { id: data?.createUser.user.id, error: errors?.[0]?.message };
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
});

test('events contain claims as strings and scopes as a list, as from API Gateway', async () => {
  const authorize = createAuthorizer({ issuer: issuer.url, audience: AUDIENCE });
  const claims = { aud: ['a', AUDIENCE], iat: 1, exp: 4_000_000_000, admin: true, scope: 'users:read other' };
  const authorization = await authorize({ authorization: `Bearer ${await issuer.sign(claims)}` }, 'users:read');
  const text = { iss: issuer.url, sub: 'ada', aud: `[a ${AUDIENCE}]`, iat: '1', exp: '4000000000', admin: 'true' };
  expect(authorization).toEqual({
    authorizer: { jwt: { claims: { ...text, scope: 'users:read other' }, scopes: ['users:read', 'other'] } },
  });
});
