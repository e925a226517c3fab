import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';

let service: LocalService;
let issuer = '';
beforeAll(async () => {
  service = await startLocalService(['--memory', '--auth']);
  await vi.waitFor(() => expect(service.printed()).toMatch(/--issuer \S+/), { timeout: 240_000 });
  issuer = /--issuer (\S+)/.exec(service.printed())?.[1] ?? '';
});
afterAll(() => service.stop());

function mint(args: string[]) {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['infra/scripts/token.ts', ...args], {
    encoding: 'utf8',
  });
  return { token: stdout.trim(), error: stderr, status };
}

const call = (token: string | undefined, method: string) =>
  fetch(`${service.url}/v1/users`, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(method === 'POST' ? { body: '{"name":"Ada","email":"ada@example.org"}' } : {}),
  });

test('npm run token prints a token with the requested scopes', async () => {
  const { token: reader } = mint(['--issuer', issuer, '--scope', 'users:read']);
  const { token: writer } = mint(['--issuer', issuer]);
  expect((await call(undefined, 'GET')).status).toBe(401);
  expect((await call(reader, 'GET')).status).toBe(200);
  expect((await call(reader, 'POST')).status).toBe(403);
  expect((await call(writer, 'POST')).status).toBe(201);
});

test('GraphQL accepts the same tokens', async () => {
  const { token } = mint(['--issuer', issuer, '--scope', 'users:read']);
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers,
    body: '{"query":"{ users { totalCount } }"}',
  });
  expect(await response.json()).toMatchObject({ data: { users: { totalCount: expect.any(Number) } } });
});

test('the issuer supports OpenID Connect discovery and rejects token requests of pages', async () => {
  const configuration = await (await fetch(`${issuer}/.well-known/openid-configuration`)).json();
  expect(configuration).toMatchObject({ issuer, jwks_uri: `${issuer}/jwks.json` });
  expect(await (await fetch(`${issuer}/jwks.json`)).json()).toMatchObject({ keys: [{ alg: 'RS256', use: 'sig' }] });
  const headers = { origin: 'https://evil.example' };
  expect((await fetch(`${issuer}/token`, { method: 'POST', headers, body: 'scope=users:write' })).status).toBe(404);
});

test('without an issuer, npm run token names the command that starts one', () => {
  const { error, status } = mint(['--issuer', 'http://127.0.0.1:1']);
  expect([status, error]).toEqual([1, expect.stringContaining('Start one with npm run start:auth')]);
});

test("POST /sign-in issues tokens only to the service's own pages", async () => {
  const ask = (headers: Record<string, string>, method = 'POST') =>
    fetch(`${service.url}/sign-in?read`, { method, headers });
  const response = await ask({ origin: service.url });
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const { access_token } = (await response.json()) as { access_token: string };
  expect((await call(access_token, 'GET')).status).toBe(200);
  expect((await call(access_token, 'POST')).status).toBe(403);
  for (const origin of ['http://localhost:1', issuer]) expect((await ask({ origin })).status).toBe(404);
  expect((await ask({ origin: 'https://evil.example' })).status).toBe(403);
  expect((await ask({})).status).toBe(404);
  expect((await ask({ origin: service.url }, 'GET')).status).toBe(404);
});
