import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAuthorizer } from '../../../infra/local/auth.ts';
import { createContext } from '../../../infra/local/runtime.ts';
import { createGraphqlEvent, createRestEvent } from '../../setup/event.ts';
import { type Issuer, startIssuer } from './issuer.ts';

/** Claims and path of a provider. Tests depend only on names of claims, formats of values and the issuer's path. */
type Provider = {
  path: string;
  audience: string;
  scopes?: { read: string; write: string };
  granted: Record<string, object>;
  denied: Record<string, object>;
};

const user = { sub: 'aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee', jti: 'fffffffff', nbf: undefined };
const cognito = { ...user, version: 2, token_use: 'access', aud: undefined, client_id: 'web', username: 'ada' };
const entra = {
  ...user,
  aud: '11111111-2222-3333-4444-555555555555',
  ver: '2.0',
  azp: 'web',
  oid: 'o',
  tid: 't',
  scope: undefined,
};
const keycloak = {
  ...user,
  typ: 'Bearer',
  azp: 'web',
  aud: ['users', 'account'],
  realm_access: { roles: ['offline_access'] },
};

const providers: Record<string, Provider> = {
  // https://docs.aws.amazon.com/cognito/latest/developerguide/amazon-cognito-user-pools-using-the-access-token.html
  Cognito: {
    path: '/eu-west-1_AbCdEfGhI',
    audience: 'web,nightly',
    scopes: { read: 'UserManagement/users:read', write: 'UserManagement/users:write' },
    granted: {
      'a user': { ...cognito, scope: 'openid UserManagement/users:read UserManagement/users:write' },
      'a client': {
        ...cognito,
        sub: 'nightly',
        client_id: 'nightly',
        scope: 'UserManagement/users:read UserManagement/users:write',
      },
    },
    denied: {
      'an id token': { ...cognito, token_use: 'id', client_id: undefined, aud: 'web', scope: undefined },
      'the scopes of another resource server': { ...cognito, scope: 'other/users:read other/users:write' },
    },
  },
  // https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles
  Auth0: {
    path: '/',
    audience: 'https://users.example.com',
    granted: {
      'a user': {
        ...user,
        sub: 'auth0|5f7c8ec7c33c6c004bbafe82',
        aud: ['https://users.example.com', 'https://tenant.eu.auth0.com/userinfo'],
        azp: 'web',
        scope: 'openid profile users:read users:write',
        permissions: ['users:read', 'users:write'],
      },
      'a client': {
        sub: 'nightly@clients',
        aud: 'https://users.example.com',
        azp: 'nightly',
        gty: 'client-credentials',
        scope: 'users:read users:write',
      },
    },
    denied: {
      'permissions without scopes': { aud: 'https://users.example.com', scope: 'openid', permissions: ['users:read'] },
    },
  },
  // https://learn.microsoft.com/en-us/entra/identity-platform/access-token-claims-reference
  'Entra ID': {
    path: '/99999999-8888-7777-6666-555555555555/v2.0',
    audience: '11111111-2222-3333-4444-555555555555',
    scopes: { read: 'Users.Read', write: 'Users.Write' },
    granted: {
      'a user': { ...entra, scp: 'Users.Read Users.Write', idtyp: 'user' },
      'a client with the claim idtyp, and scopes of a policy': {
        ...entra,
        sub: 'oid-of-application',
        azp: 'nightly',
        idtyp: 'app',
        scp: 'Users.Read Users.Write',
      },
    },
    denied: {
      'an application with roles': { ...entra, scp: undefined, idtyp: 'app', roles: ['Users.Read', 'Users.Write'] },
    },
  },
  // azp is the origin of the web page, not a client id: https://clerk.com/docs/guides/sessions/session-tokens
  Clerk: {
    path: '/clerk',
    audience: 'https://users.example.com',
    granted: {
      'a user': {
        ...user,
        sub: 'user_2gNa3bD7x',
        aud: 'https://users.example.com',
        azp: 'https://app.example.com',
        scope: 'users:read users:write',
      },
    },
    denied: { 'a session token without a template': { sub: 'user_2gNa3bD7x', aud: undefined, scope: undefined } },
  },
  // https://www.keycloak.org/docs/latest/server_admin/#_audience
  Keycloak: {
    path: '/realms/company',
    audience: 'users',
    granted: {
      'a user': { ...keycloak, scope: 'openid email profile users:read users:write' },
      'a service account': { ...keycloak, azp: 'nightly', clientHost: '192.0.2.1', scope: 'users:read users:write' },
    },
    denied: { 'optional scopes that were not asked for': { ...keycloak, scope: 'openid email profile' } },
  },
};

let issuer: Issuer;
beforeAll(async () => {
  issuer = await startIssuer();
});
afterAll(() => issuer.stop());

describe.each(Object.entries(providers))('%s', (_, { path, audience, scopes, granted, denied }) => {
  let url: string;
  let read: (token: string) => Promise<[rest: boolean, graphql: boolean]>;
  let write: typeof read;

  beforeAll(async () => {
    url = `${issuer.url}${path}`;
    const discovery = `${path === '/' ? '' : path}/.well-known/openid-configuration`;
    issuer.documents = { [discovery]: { issuer: url, jwks_uri: `${issuer.url}/keys` } };
    vi.stubEnv('AUTH_ISSUER', url);
    vi.stubEnv('AUTH_AUDIENCE', audience);
    vi.stubEnv('AUTH_READ_SCOPE', scopes?.read);
    vi.stubEnv('AUTH_WRITE_SCOPE', scopes?.write);
    vi.resetModules();
    vi.stubEnv('REQUIRED_AUTHORIZER', 'jwt');
    const authorize = createAuthorizer({ issuer: url, audience });
    const graphql = await import('../../../functions/graphql.ts');
    const rest = {
      read: (await import('../../../functions/get-user.ts')).handler,
      write: (await import('../../../functions/delete-user.ts')).handler,
    };
    // Returns a body instead of a stream, because Lambda's global `awslambda` is missing.
    const handler = graphql.handler as (event: object, context: object) => Promise<{ body: string }>;
    const call = (right: 'read' | 'write', query: string) => async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const verified = await authorize(headers, right);
      const event = createRestEvent(right === 'read' ? 'GET' : 'DELETE', '/v1/users', { id: 'x', headers });
      Object.assign(event.requestContext, verified);
      const { statusCode } =
        'status' in verified ? { statusCode: verified.status } : await rest[right](event, createContext());
      const { body } = await handler(createGraphqlEvent('POST', { headers, body: { query } }), createContext());
      const [error] = JSON.parse(body).errors ?? [];
      return [statusCode === 404, !['FORBIDDEN', 'UNAUTHENTICATED'].includes(error?.extensions.code)];
    };
    read = call('read', '{ users(first: 1) { totalCount } }') as typeof read;
    write = call('write', 'mutation { deleteUser(input: { id: "x" }) { id } }') as typeof read;
  });

  test.each(Object.entries(granted))('gives %s a token that both APIs accept', async (_, claims) => {
    const token = await issuer.sign({ iss: url, ...claims });
    expect([await read(token), await write(token)]).toEqual([
      [true, true],
      [true, true],
    ]);
  });

  test.each(Object.entries(denied))('gives %s a token that both APIs reject', async (_, claims) => {
    const token = await issuer.sign({ iss: url, ...claims });
    expect([await read(token), await write(token)]).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  test.each(Object.entries(granted))(
    'with a group for writers, %s may write only if it is a client',
    async (who, claims) => {
      vi.stubEnv('AUTH_WRITE_GROUP', 'editors');
      const token = await issuer.sign({ iss: url, ...claims });
      const isKnownClient = who.startsWith('a client');
      expect([await read(token), await write(token)]).toEqual([
        [true, true],
        [isKnownClient, isKnownClient],
      ]);
      vi.stubEnv('AUTH_WRITE_GROUP', undefined);
    },
  );

  test('issues tokens for other audiences, which both APIs reject', async () => {
    const token = await issuer.sign({ iss: url, ...Object.values(granted)[0], aud: 'others', client_id: 'others' });
    expect(await read(token)).toEqual([false, false]);
  });
});
