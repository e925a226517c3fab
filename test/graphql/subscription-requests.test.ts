import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalService, startLocalService } from '../setup/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory'], { MAX_STREAMS: '1' });
});
afterAll(() => service.stop());

const streamed = { accept: 'text/event-stream', 'content-type': 'application/json' };

const ask = (query: string, headers: Record<string, string> = streamed, signal?: AbortSignal) =>
  fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
    ...(signal ? { signal } : {}),
  });

const create = (email: string) => `mutation { createUser(input: { name: "No", email: "${email}" }) { user { id } } }`;

async function usersOf(email: string): Promise<unknown> {
  return (await fetch(`${service.url}/v1/users?email=${email}`)).json();
}

test('beyond the most streams a subscriber is asked to come back later, and queries are still answered', async () => {
  const leave = new AbortController();
  const first = await ask('subscription { userChanged { id } }', streamed, leave.signal);
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);

  const second = await ask('subscription { userChanged { id } }');
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await second.json()).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
  const query = await ask('{ users { totalCount } }', { 'content-type': 'application/json' });
  expect(query.status).toBe(200);
  leave.abort();
});

test.each(['text/event-stream', 'text/html', 'application/xml'])(
  'a mutation that asks for %s is refused before it runs',
  async (accept) => {
    const email = `${accept.replace('/', '.')}@example.com`;
    const response = await ask(create(email), { accept, 'content-type': 'application/json' });
    expect(response.status).toBe(406);
    expect(await usersOf(email)).toEqual([]);
  },
);

test('a client that takes a stream among others, as urql does, is answered in JSON', async () => {
  const accept = 'application/graphql-response+json, application/json, text/event-stream, multipart/mixed';
  const response = await ask('{ users { totalCount } }', { accept, 'content-type': 'application/json' });
  expect(response.headers.get('content-type')).toMatch('application/graphql-response+json');
});

test('a subscription by GET, or as a form that other sites can send, is refused', async () => {
  const query = 'subscription { userChanged { id } }';
  const byGet = await fetch(`${service.url}/graphql?query=${encodeURIComponent(query)}`, { headers: streamed });
  expect(byGet.status).toBe(405);
  const asForm = await ask(query, { accept: 'text/event-stream', 'content-type': 'text/plain' });
  expect(asForm.status).toBe(415);
});

test.each([
  [
    'too deep',
    `subscription { userChanged { user { ${'posts { author { '.repeat(5)} id ${'} }'.repeat(5)} } } }`,
    /depth/i,
  ],
  [
    'too costly',
    'subscription { userChanged { user { posts(first: 100) { author { posts(first: 100) { id } } } } } }',
    /cost/,
  ],
  ['too long', `subscription { userChanged { ${'id '.repeat(1100)} } }`, /token/],
])('a subscription that is %s is refused', async (_, query, message) => {
  const response = await ask(query);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringMatching(message) }] });
});

test.each([
  'subscription { userChanged @skip(if: true) { id } }',
  'subscription { ...Root @include(if: false) } fragment Root on Subscription { userChanged { id } }',
  'subscription { ...Root } fragment Root on Subscription { userChanged @skip(if: true) { id } }',
])('%s, which might ask for nothing, is refused', async (query) => {
  const response = await ask(query);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
});

test('a subscription to a user that cannot be is told so', async () => {
  const response = await ask('subscription { userChanged(id: "nobody") { id } }');
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
});
