import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LocalService, startLocalService } from '../setup/local-service.ts';

let service: LocalService;
beforeAll(async () => {
  service = await startLocalService(['--memory'], { MAX_STREAMS: '1' });
});
afterAll(() => service.stop());

const SSE_HEADERS = { accept: 'text/event-stream', 'content-type': 'application/json' };

const request = (query: string, headers: Record<string, string> = SSE_HEADERS, signal?: AbortSignal) =>
  fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
    ...(signal ? { signal } : {}),
  });

const createUserDocument = (email: string) =>
  `mutation { createUser(input: { name: "No", email: "${email}" }) { user { id } } }`;

async function findUsers(email: string): Promise<unknown> {
  return (await fetch(`${service.url}/v1/users?email=${email}`)).json();
}

test('a subscription beyond the limit returns 503 with Retry-After, and queries still work', async () => {
  const leave = new AbortController();
  const first = await request('subscription { userChanged { id } }', SSE_HEADERS, leave.signal);
  expect([first.status, first.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);

  const second = await request('subscription { userChanged { id } }');
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '10']);
  expect(await second.json()).toMatchObject({ errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }] });
  const query = await request('{ users { totalCount } }', { 'content-type': 'application/json' });
  expect(query.status).toBe(200);
  leave.abort();
});

test.each(['text/event-stream', 'text/html', 'application/xml'])(
  'a mutation with Accept: %s returns 406 and is not executed',
  async (accept) => {
    const email = `${accept.replace('/', '.')}@example.com`;
    const response = await request(createUserDocument(email), { accept, 'content-type': 'application/json' });
    expect(response.status).toBe(406);
    expect(await findUsers(email)).toEqual([]);
  },
);

test('a client that accepts JSON and event streams, like urql, gets JSON', async () => {
  const accept = 'application/graphql-response+json, application/json, text/event-stream, multipart/mixed';
  const response = await request('{ users { totalCount } }', { accept, 'content-type': 'application/json' });
  expect(response.headers.get('content-type')).toMatch('application/graphql-response+json');
});

test('a subscription returns 405 for GET and 415 for content that a form of another site can send', async () => {
  const query = 'subscription { userChanged { id } }';
  const byGet = await fetch(`${service.url}/graphql?query=${encodeURIComponent(query)}`, { headers: SSE_HEADERS });
  expect(byGet.status).toBe(405);
  const asForm = await request(query, { accept: 'text/event-stream', 'content-type': 'text/plain' });
  expect(asForm.status).toBe(415);
});

test.each([
  [
    'too deep',
    `subscription { userChanged { user { ${'posts { author { '.repeat(5)} id ${'} }'.repeat(5)} } } }`,
    /depth/i,
  ],
  [
    'too expensive',
    'subscription { userChanged { user { posts(first: 100) { author { posts(first: 100) { id } } } } } }',
    /cost/,
  ],
  ['too long', `subscription { userChanged { ${'id '.repeat(1100)} } }`, /token/],
])('a subscription that is %s returns 400', async (_, query, message) => {
  const response = await request(query);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringMatching(message) }] });
});

test.each([
  'subscription { userChanged @skip(if: true) { id } }',
  'subscription { ...Root @include(if: false) } fragment Root on Subscription { userChanged { id } }',
  'subscription { ...Root } fragment Root on Subscription { userChanged @skip(if: true) { id } }',
])('a conditional root field returns 400: %s', async (query) => {
  const response = await request(query);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
});

test('a subscription to an id that no user can have returns NOT_FOUND', async () => {
  const response = await request('subscription { userChanged(id: "nobody") { id } }');
  expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
});
