import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAllowedOrigin } from '../../../infra/local/cors.ts';
import { type LocalService, startLocalService } from '../../setup/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory', '--cors', 'https://app.example.org']);
});
afterAll(() => service.stop());

const VITE = 'http://localhost:5173';
const preflight = (path: string, origin: string, method = 'PATCH') =>
  fetch(service.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'content-type,if-match,idempotency-key,authorization',
    },
  });

describe.each([VITE, 'https://app.example.org'])('a page of %s', (origin) => {
  test.each(['/v1/users/1', '/api/users', '/graphql'])('may send every method and header to %s', async (path) => {
    const { status, headers } = await preflight(path, origin);
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-methods')?.split(',')).toContain('PATCH');
    const allowed = headers.get('access-control-allow-headers')?.split(',');
    for (const name of [
      'content-type',
      'if-match',
      'if-none-match',
      'if-unmodified-since',
      'idempotency-key',
      'authorization',
    ])
      expect(allowed).toContain(name);
    expect(headers.has('access-control-allow-credentials')).toBe(false);
  });

  test('may read responses and errors with their headers', async () => {
    for (const path of ['/v1/users', '/v1/users/1', '/nowhere', '/graphql']) {
      const { headers } = await fetch(service.url + path, { headers: { origin } });
      expect([path, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([path, origin, 'origin']);
      expect(headers.get('access-control-expose-headers')?.split(',')).toEqual(
        expect.arrayContaining([
          'date',
          'x-total-count',
          'server-timing',
          'stream-cursor',
          'apigw-requestid',
          'x-amzn-requestid',
        ]),
      );
    }
  });
});

test.each(['https://evil.example', 'null'])('a page of %s may neither send nor read', async (origin) => {
  expect((await preflight('/v1/users', origin, 'POST')).headers.has('access-control-allow-origin')).toBe(false);
  const { headers } = await fetch(`${service.url}/v1/users`, { headers: { origin } });
  expect(headers.has('access-control-allow-origin')).toBe(false);
});

test.each([
  ['http://localhost', true],
  ['https://app.localhost:8443', true],
  ['http://127.0.0.1:4000', true],
  ['http://[::1]:4000', true],
  ['http://localhost.example.org', false],
  ['http://127.0.0.1.example.org', false],
  ['file://localhost', false],
  ['null', false],
  ['', false],
])('the origin %s is allowed: %s', (origin, isAllowed) => {
  expect(isAllowedOrigin(origin, [])).toBe(isAllowed);
});

test('a response contains its database cost', async () => {
  const json = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const person = { name: 'Ada', email: 'ada@example.org' };
  const list = await fetch(`${service.url}/v1/users`);
  const create = await fetch(`${service.url}/v1/users`, { ...json, body: JSON.stringify(person) });
  const graphql = await fetch(`${service.url}/graphql`, { ...json, body: '{"query":"{ users { totalCount } }"}' });
  expect(list.headers.get('server-timing')).toMatch(/^db;desc="\d requests, [\d.]+ RCU", total;dur=[\d.]+$/);
  expect(create.headers.get('server-timing')).toMatch(/^db;desc="1 request, 13 WCU", total;dur=[\d.]+$/);
  expect(graphql.headers.get('server-timing')).toMatch(/RCU/);
});
