import { expect, test, vi } from 'vitest';
import {
  createAuthorizationUrl,
  createEndSessionUrl,
  createRandomText,
  discover,
  exchangeCode,
} from '../../../../../infra/web/console/auth/pkce.ts';

const settings = {
  kind: 'sign-in' as const,
  issuer: 'https://issuer.example',
  clientId: 'console',
  audience: 'users',
  scope: 'openid users:read',
};
const REDIRECT = 'https://console.example/';
// RFC 7636, appendix B.
const pending = { state: 'abc', verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk', returnTo: '' };

test('the authorization URL carries the challenge of RFC 7636 and keeps parameters of the endpoint', async () => {
  const url = new URL(await createAuthorizationUrl('https://issuer.example/a?tenant=1', settings, pending, REDIRECT));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    tenant: '1',
    response_type: 'code',
    client_id: 'console',
    redirect_uri: REDIRECT,
    scope: 'openid users:read',
    audience: 'users',
    state: 'abc',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  });
});

function stubFetch(body: object, status = 200) {
  const fetch = vi.fn(async (_url: string, _options?: RequestInit) => Response.json(body, { status }));
  vi.stubGlobal('fetch', fetch);
  return fetch;
}
const exchange = (answer: Record<string, string>, expected: typeof pending | undefined = pending) =>
  exchangeCode('https://issuer.example/t', settings, expected, new URLSearchParams(answer), REDIRECT);

test('the code is exchanged together with the verifier', async () => {
  const fetch = stubFetch({ access_token: 'token', expires_in: 60 });
  expect(await exchange({ code: 'c', state: 'abc' })).toMatchObject({ accessToken: 'token' });
  expect(Object.fromEntries(fetch.mock.calls[0]?.[1]?.body as URLSearchParams)).toEqual({
    grant_type: 'authorization_code',
    client_id: 'console',
    code: 'c',
    redirect_uri: REDIRECT,
    code_verifier: pending.verifier,
  });
});

test('a response to another sign-in is rejected before the issuer is asked', async () => {
  const fetch = stubFetch({});
  await expect(exchange({ code: 'c', state: 'forged' })).rejects.toThrow('another sign-in');
  await expect(
    exchangeCode(
      'https://issuer.example/t',
      settings,
      undefined,
      new URLSearchParams({ code: 'c', state: 'abc' }),
      REDIRECT,
    ),
  ).rejects.toThrow('another sign-in');
  expect(fetch).not.toHaveBeenCalled();
});

test('an answer without a token is no sign-in', async () => {
  stubFetch({ token_type: 'Bearer' });
  await expect(exchange({ code: 'c', state: 'abc' })).rejects.toThrow('The issuer sent no token');
});

test('the reason of the issuer is told', async () => {
  stubFetch({ error: 'invalid_grant', error_description: 'The code has expired' }, 400);
  await expect(exchange({ code: 'c', state: 'abc' })).rejects.toThrow('The code has expired');
  await expect(exchange({ error: 'access_denied', state: 'abc' })).rejects.toThrow('access_denied');
});

test('a rejection without a reason is told by its status, also as a page of HTML', async () => {
  const page = new Response('<html>Bad Gateway</html>', { status: 502, headers: { 'content-type': 'text/html' } });
  vi.stubGlobal('fetch', async () => page);
  await expect(exchange({ code: 'c', state: 'abc' })).rejects.toThrow('The issuer answered 502');
  stubFetch([], 503);
  await expect(exchange({ code: 'c', state: 'abc' })).rejects.toThrow('The issuer answered 503');
});

test('a page over plain http of another machine cannot sign in, and says why', async () => {
  vi.stubGlobal('crypto', { subtle: undefined });
  const url = createAuthorizationUrl('https://issuer.example/a', settings, pending, REDIRECT);
  vi.unstubAllGlobals();
  await expect(url).rejects.toThrow('only over https');
});

test('the configuration of another issuer is rejected', async () => {
  stubFetch({ issuer: 'https://other.example' });
  await expect(discover('https://issuer.example')).rejects.toThrow('another issuer');
});

test('the person signs out at the issuer if it offers that, and comes back', () => {
  const issuer = { end_session_endpoint: 'https://issuer.example/end?tenant=1' };
  const url = new URL(createEndSessionUrl(issuer, settings, { idToken: 'id' }, REDIRECT));
  expect(Object.fromEntries(url.searchParams)).toEqual({
    tenant: '1',
    client_id: 'console',
    post_logout_redirect_uri: REDIRECT,
    logout_uri: REDIRECT,
    id_token_hint: 'id',
  });
  expect(createEndSessionUrl({}, settings, {}, REDIRECT)).toBe(REDIRECT);
});

test('random texts have 43 characters that need no encoding', () => {
  expect(createRandomText()).toMatch(/^[\w-]{43}$/);
});
