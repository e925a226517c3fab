import { execFileSync } from 'node:child_process';
import { parse, validate } from 'graphql';
import { expect, test, vi } from 'vitest';
import type { ApiRequest } from '../../infra/console/api/calls.ts';
import { schema } from '../../lib/graphql/schema/schema.ts';

vi.stubGlobal('sessionStorage', { getItem: () => null, setItem: () => {}, removeItem: () => {} });
const { toCurl, toFetch, toGraphql } = await import('../../infra/console/snippets/snippets.ts');
const { accessToken } = await import('../../infra/console/api/access-token.ts');

const ORIGIN = 'http://localhost:3000';
const rename: ApiRequest = {
  method: 'PATCH',
  path: '/v1/users/1',
  headers: { 'if-match': '"3"' },
  body: { name: "Ada O'Hara $HOME `id`" },
};
const requests: ApiRequest[] = [
  { method: 'GET', path: '/v1/users?limit=20&page=3&order=desc' },
  { method: 'GET', path: '/v1/users?limit=20&q=a%22b' },
  { method: 'POST', path: '/v1/users', headers: { 'idempotency-key': 'k' }, body: { name: 'Ada', email: 'a@b.org' } },
  rename,
  { method: 'DELETE', path: '/v1/users/1', headers: { 'if-match': '"3"' } },
];

/** The arguments that a shell passes to curl. */
function readArguments(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { TOKEN: 'secret' } })
    .split('\0')
    .slice(0, -1);
}

test('a shell passes a copied command to curl unchanged', () => {
  expect(readArguments(toCurl(rename, ORIGIN))).toEqual([
    ...['-X', 'PATCH', `${ORIGIN}/v1/users/1`],
    ...['-H', 'content-type: application/json', '-H', 'if-match: "3"'],
    ...['-d', JSON.stringify(rename.body)],
  ]);
});

test('a copied command reads the token from the environment', () => {
  accessToken.set(() => 'the real token');
  const command = toCurl({ method: 'GET', path: '/v1/users' }, ORIGIN);
  accessToken.set(() => undefined);
  expect(command).not.toContain('the real token');
  expect(readArguments(command)).toContain('authorization: Bearer secret');
});

test.each(requests)('a copied fetch of $method $path sends the same request', async (request) => {
  const fetch = vi.fn(async () => new Response('{}'));
  const body = toFetch(request, ORIGIN).replaceAll('await ', '');
  new Function('fetch', 'console', body.split('\n').slice(0, -1).join('\n'))(fetch, console);
  const [url, options] = fetch.mock.calls[0] as unknown as [string, RequestInit | undefined];
  expect(url).toBe(`${ORIGIN}${request.path}`);
  expect(options?.method ?? 'GET').toBe(request.method);
  expect(options?.body).toBe(request.body && JSON.stringify(request.body));
});

test.each(requests)('the GraphQL copy of $method $path is valid in the schema', (request) => {
  const text = toGraphql(request) ?? '';
  expect(validate(schema, parse(text))).toEqual([]);
});
