import { beforeEach, expect, test, vi } from 'vitest';
import { calls, MAX_CALLS, recordFetch } from '../../../../../infra/web/console/api/calls.ts';

beforeEach(() => calls.set(() => []));

const JSON_HEADERS = { accept: 'application/json', authorization: 'Bearer secret', 'content-type': 'application/json' };

test('a call shows the request without its usual headers', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ id: '1' }, { status: 201 }));
  const headers = { ...JSON_HEADERS, 'idempotency-key': 'k' };
  await recordFetch('/v1/users', { method: 'POST', headers, body: '{"name":"Ada"}' });
  await recordFetch('/v1/users/1', { headers: JSON_HEADERS });
  expect(calls.get()).toMatchObject([
    { method: 'GET', path: '/v1/users/1', title: 'GET /v1/users/1' },
    {
      ...{ method: 'POST', path: '/v1/users', title: 'POST /v1/users', headers: { 'idempotency-key': 'k' } },
      body: { name: 'Ada' },
      outcome: { status: 201, body: '{\n  "id": "1"\n}' },
    },
  ]);
  expect(calls.get()[0]).not.toHaveProperty('headers');
  expect(calls.get()[0]).not.toHaveProperty('body');
});

test.each([
  ['query GetUser($id: ID!) { user(id: $id) { id } }', 'query GetUser'],
  ['mutation\n  DeletePost { deletePost }', 'mutation DeletePost'],
  ['{ user { id } }', 'query '],
])('a GraphQL call is named after its operation: %j', async (query, title) => {
  vi.stubGlobal('fetch', async () => Response.json({}));
  await recordFetch('/graphql', { method: 'POST', body: JSON.stringify({ query }) });
  expect(calls.get()[0]?.title).toBe(title);
});

test.each([
  ['cancelled', new DOMException('Left', 'AbortError')],
  ['failed', new DOMException('Too slow', 'TimeoutError')],
])('a call without a response is %s', async (status, reason) => {
  const stop = new AbortController();
  stop.abort(reason);
  vi.stubGlobal('fetch', async () => Promise.reject(reason));
  await expect(recordFetch('/v1/users', { signal: stop.signal })).rejects.toBe(reason);
  expect(calls.get()).toMatchObject([{ outcome: { status, body: String(reason) } }]);
});

test('an answer that is not JSON is shown as it is', async () => {
  vi.stubGlobal('fetch', async () => new Response('Bad gateway', { status: 502 }));
  await recordFetch('/v1/users');
  expect(calls.get()).toMatchObject([{ outcome: { status: 502, body: 'Bad gateway' } }]);
});

test('during an outage, failed streams do not displace other calls', async () => {
  const openStream = () => recordFetch('/graphql', { headers: { accept: 'text/event-stream' } });
  vi.stubGlobal('fetch', async () => new Response('', { status: 200 }));
  await recordFetch('/v1/users');
  await openStream();
  expect(calls.get()[0]?.outcome?.body).toBe('The stream of changes');
  vi.stubGlobal('fetch', async () => new Response('busy', { status: 503 }));
  await openStream();
  await openStream();
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(openStream()).rejects.toThrow();
  await expect(openStream()).rejects.toThrow();
  expect(calls.get().map(({ outcome }) => outcome?.status)).toEqual(['failed', 200, 200]);
});

test('a call contains its DynamoDB usage if the service reports it', async () => {
  const headers = { 'server-timing': 'db;desc="2 requests, 1 RCU, 13 WCU", total;dur=12.6' };
  vi.stubGlobal('fetch', async (path: string) => Response.json({}, path === '/v1/users' ? { headers } : {}));
  await recordFetch('/v1/users');
  await recordFetch('/v1/users/1');
  const usages = calls.get().map(({ outcome }) => outcome?.usage);
  expect(usages).toEqual([undefined, '2 requests, 1 RCU, 13 WCU']);
});

test('the page keeps only the latest calls, with truncated responses', async () => {
  vi.stubGlobal('fetch', async () => Response.json({ text: 'x'.repeat(100_000) }));
  for (let number = 0; number < MAX_CALLS + 5; number += 1) await recordFetch(`/v1/users/${number}`);
  expect(calls.get().map(({ path }) => path)).toEqual(
    Array.from({ length: MAX_CALLS }, (_, at) => `/v1/users/${MAX_CALLS + 4 - at}`),
  );
  const bodies = calls.get().map(({ outcome }) => outcome?.body);
  expect(bodies[0]).toMatch(/^\{\n {2}"text": "x+\n…$/);
  expect(Math.max(...bodies.map((body) => body?.length ?? 0))).toBeLessThan(5000);
});
