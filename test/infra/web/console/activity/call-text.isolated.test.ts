import '../browser-globals.ts';
import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { formatResponse, toClient, toCurl, toFetch } from '../../../../../infra/web/console/activity/call-text.ts';
import type { ApiRequest } from '../../../../../infra/web/console/api/calls.ts';
import { accessToken } from '../../../../../infra/web/console/auth/access-token.ts';
import { createClient } from '../../../../../lib/client/client.ts';

const ORIGIN = 'http://localhost:3000';
const rename: ApiRequest = {
  method: 'PATCH',
  path: '/v1/users/1?include=times',
  headers: { 'if-match': '"3"' },
  body: { name: "Ada O'Hara $HOME `id`" },
};
const requests: ApiRequest[] = [
  { method: 'GET', path: '/v1/users?include=times&limit=20&page=3&order=desc' },
  { method: 'GET', path: '/v1/users?include=times&limit=20&after=c&q=a%22b' },
  { method: 'GET', path: '/v1/users?include=times&limit=20&plan=pro&sort=name&order=asc' },
  { method: 'GET', path: '/v1/users?include=times&nickname=ada' },
  { method: 'GET', path: '/v1/users/1?include=times' },
  {
    method: 'POST',
    path: '/v1/users?include=times',
    headers: { 'idempotency-key': 'k' },
    body: { name: 'Ada', email: 'a@b.org' },
  },
  rename,
  { method: 'DELETE', path: '/v1/users/1?include=times', headers: { 'if-match': '"3"' } },
];

/** Returns curl's arguments. */
function readArguments(command: string): string[] {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { TOKEN: 'secret' } })
    .split('\0')
    .slice(0, -1);
}

const runModule = (code: string, fetch: () => Promise<Response>, log = (..._: unknown[]) => {}): Promise<void> =>
  new Function('fetch', 'console', `return (async () => {\n${code}\n})()`)(fetch, { log });

test('a shell passes a copied command to curl unchanged', () => {
  expect(readArguments(toCurl(rename, ORIGIN))).toEqual([
    ...['-X', 'PATCH', `${ORIGIN}/v1/users/1?include=times`],
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

test('a copied fetch sends the token of its first line', async () => {
  accessToken.set(() => 'the real token');
  const code = toFetch({ method: 'GET', path: '/v1/users' }, ORIGIN);
  accessToken.set(() => undefined);
  const fetch = vi.fn(async () => new Response());
  vi.stubEnv('TOKEN', 'secret');
  await runModule(code, fetch);
  vi.unstubAllEnvs();
  expect(code).not.toContain('the real token');
  expect(fetch).toHaveBeenCalledWith(`${ORIGIN}/v1/users`, { headers: { authorization: 'Bearer secret' } });
});

test.each(requests)('a copied fetch of $method $path sends the same request', async (request) => {
  const fetch = vi.fn(async () => new Response('{}'));
  await runModule(toFetch(request, ORIGIN), fetch);
  const [url, options] = fetch.mock.calls[0] as unknown as [string, RequestInit | undefined];
  expect(url).toBe(`${ORIGIN}${request.path}`);
  expect(options?.method ?? 'GET').toBe(request.method);
  expect(Object.fromEntries(new Headers(options?.headers))).toEqual({
    ...(request.body ? { 'content-type': 'application/json' } : {}),
    ...request.headers,
  });
  expect(options?.body).toBe(request.body && JSON.stringify(request.body));
});

const runClient = (code: string, fetch: typeof globalThis.fetch): Promise<void> =>
  new Function('createClient', `return (async () => {\n${code.replace(/^import .*$/m, '')}\n})()`)(
    (options: { baseUrl: string }) => createClient({ ...options, fetch }),
  );

test.each(requests)('a copied program of $method $path sends the same request by the client', async (request) => {
  const user = { id: '1', name: 'Ada', email: 'ada@example.org' };
  const answer =
    request.path === '/graphql'
      ? { data: {} }
      : request.method === 'GET' && !request.path.includes('/1')
        ? [user]
        : user;
  const fetch = vi.fn<typeof globalThis.fetch>(async () => Response.json(answer, { headers: { etag: '"1"' } }));
  vi.spyOn(console, 'log').mockReturnValue();
  await runClient(toClient(request, ORIGIN), fetch);
  const [url, options] = fetch.mock.calls[0] ?? [];
  const sent = new URL(String(url));
  const wanted = new URL(request.path, ORIGIN);
  expect([sent.origin, sent.pathname]).toEqual([ORIGIN, wanted.pathname]);
  expect(Object.fromEntries(sent.searchParams)).toEqual(Object.fromEntries(wanted.searchParams));
  expect(options?.method).toBe(request.method);
  expect(Object.fromEntries(new Headers(options?.headers))).toMatchObject(request.headers ?? {});
  expect(options?.body && JSON.parse(String(options.body))).toEqual(request.body);
});

test('a copied fetch of a stream prints each event while the stream is open', async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const events = writable.getWriter();
  const subscription: ApiRequest = {
    method: 'POST',
    path: '/graphql',
    headers: { accept: 'text/event-stream' },
    body: { query: 'subscription { userChanged { cursor } }' },
  };
  const printed: unknown[] = [];
  const fetch = async () => new Response(readable);
  const ended = runModule(toFetch(subscription, ORIGIN), fetch, (...texts) => printed.push(...texts));
  for (const text of ['first', 'second']) {
    void events.write(new TextEncoder().encode(text));
    await expect.poll(() => printed.at(-1), { timeout: 120_000 }).toBe(text);
  }
  await events.close();
  await ended;
  expect(printed).toEqual([200, 'first', 'second']);
});

const outcome = (body: string) => ({ status: 200, milliseconds: 4, body });

test('a response without a body differs from one that has not arrived', () => {
  expect(formatResponse(outcome(''))).toBe('The response has no body');
  expect(formatResponse(undefined)).toBe('The response has not arrived yet');
});
