import { afterEach, expect, test, vi } from 'vitest';
import { chooseScope, discover } from '../../../../../infra/web/console/auth/oidc.ts';

afterEach(() => vi.unstubAllGlobals());

const stubConfiguration = (body: object, status = 200) => {
  const fetch = vi.fn(async (_url: string) => Response.json(body, { status }));
  vi.stubGlobal('fetch', fetch);
  return fetch;
};
const endpoints = { authorization_endpoint: 'https://issuer.example/a', token_endpoint: 'https://issuer.example/t' };

test.each([
  ['another issuer', { ...endpoints, issuer: 'https://other.example/' }],
  ['the issuer without its slash', { ...endpoints, issuer: 'https://issuer.example' }],
  ['no endpoints', { issuer: 'https://issuer.example/' }],
])('a configuration of %s is rejected', async (_, configuration) => {
  stubConfiguration(configuration);
  await expect(discover('https://issuer.example/')).rejects.toThrow('another issuer');
});

test('discovery works for an issuer with and without a trailing slash', async () => {
  for (const issuer of ['https://issuer.example/', 'https://issuer.example']) {
    const fetch = stubConfiguration({ ...endpoints, issuer, end_session_endpoint: 'https://issuer.example/logout' });
    expect(await discover(issuer)).toMatchObject({ issuer, end_session_endpoint: 'https://issuer.example/logout' });
    expect(fetch.mock.calls.map(([url]) => url)).toEqual(['https://issuer.example/.well-known/openid-configuration']);
  }
});

test('an issuer without a configuration is reported by status', async () => {
  stubConfiguration({}, 502);
  await expect(discover('https://issuer.example')).rejects.toThrow('cannot be loaded: 502');
});

// Scopes in metadata as of November 2026.
test.each([
  ['Cognito, which rejects it', ['openid', 'email', 'phone', 'profile'], 'openid users:read'],
  ['Auth0', ['openid', 'profile', 'offline_access', 'name', 'email'], 'openid users:read offline_access'],
  ['Entra ID', ['openid', 'profile', 'email', 'offline_access'], 'openid users:read offline_access'],
  ['Keycloak', ['openid', 'offline_access', 'roles', 'users:read'], 'openid users:read offline_access'],
])('requests offline access only from issuers that support it: %s', (_, supported, scope) => {
  expect(chooseScope('openid users:read', supported)).toBe(scope);
  expect(chooseScope('openid offline_access', supported)).toBe('openid offline_access');
});
