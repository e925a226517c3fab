import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { table } from '../../../../../lib/dynamodb/client.ts';
import type { AcquireSlot } from '../../../../../lib/features/change-log/sse/stream-limit.ts';
import { live } from '../../../../../lib/features/change-log/subscribe.ts';
import { createGraphqlEvent } from '../../../../setup/event.ts';
import { UNKNOWN_ID } from '../../../rest/client.ts';
import { requestStream, requestSubscription, type StreamedResponse } from './sse-client.ts';

// Hoisted: the function reads its limits on import. A caller may open half of MAX_STREAMS, rounded up.
vi.hoisted(() => {
  process.env.MAX_STREAMS = '3';
});

const { handleSse } = await import('../../../../../lib/features/change-log/sse/handle-sse.ts');

let open: StreamedResponse[] = [];
afterEach(async () => {
  await Promise.all(open.map(({ disconnect }) => disconnect()));
  open = [];
});

const findUser = (email: string) =>
  requestStream({
    body: { query: 'query ($email: String!) { userByEmail(email: $email) { id } }', variables: { email } },
    headers: { accept: 'application/json' },
  });

const subscribe = async (caller?: string) => {
  const body = { query: 'subscription { userChanged { id } }' };
  const response = await requestStream({ body, ...(caller ? { caller } : {}) });
  if (response.status === 200) open.push(response);
  return response;
};

test('a subscription beyond the limit returns 503 with Retry-After, and queries still work', async () => {
  const { status: opened, headers: head } = await subscribe('ada');
  expect([opened, head['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
  for (const caller of ['ada', 'grace']) expect((await subscribe(caller)).status).toBe(200);

  const { status, headers, json } = await subscribe('mary');
  expect([status, headers['retry-after']]).toEqual([503, '10']);
  expect(json?.errors).toEqual([
    {
      message: '3 of 3 streams are open; please try again later',
      extensions: { code: 'SERVICE_UNAVAILABLE', limit: 3 },
    },
  ]);
  expect((await findUser('ada@example.org')).json).toEqual({ data: { userByEmail: null } });
});

test.each(['ada', undefined])(
  'one caller (%s) beyond its share gets 429 with Retry-After, and others still subscribe',
  async (caller) => {
    for (let count = 0; count < 2; count++) expect((await subscribe(caller)).status).toBe(200);
    const { status, headers, json } = await subscribe(caller);
    expect([status, headers['retry-after']]).toEqual([429, '10']);
    expect(json?.errors).toEqual([
      {
        message: '2 of your 2 streams are open; please end one',
        extensions: { code: 'TOO_MANY_REQUESTS', limit: 2 },
      },
    ]);
    expect((await subscribe('grace')).status).toBe(200);
  },
);

test.each<[string, number, AcquireSlot]>([
  ['exceeds a limit', 503, async () => ({ exceeded: 'total' })],
  ['cannot be counted', 500, () => Promise.reject(new Error('no slots'))],
])('a subscription that %s no longer follows the change log', async (_, status, acquireSlot) => {
  vi.spyOn(console, 'error').mockReturnValue();
  const connection = new AbortController();
  const event = createGraphqlEvent('POST', { body: { query: 'subscription { userChanged { id } }' } });
  expect(await handleSse(event, { caller: 'ada' }, { connection, acquireSlot })).toMatchObject({ statusCode: status });
  expect(connection.signal.aborted).toBe(true);
  const requests = vi.spyOn(table, 'send');
  await live.reader.poll();
  expect(requests).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

test.each(['text/event-stream', 'text/html', 'application/xml'])(
  'a mutation with Accept: %s returns 406 and is not executed',
  async (accept) => {
    const email = `${accept.replace('/', '.')}@example.com`;
    const query = `mutation { createUser(input: { name: "No", email: "${email}" }) { user { id } } }`;
    expect((await requestStream({ body: { query }, headers: { accept } })).status).toBe(406);
    expect((await findUser(email)).json).toEqual({ data: { userByEmail: null } });
  },
);

describe.each([
  ['application/graphql-response+json, application/json, text/event-stream, multipart/mixed', 'graphql-response+json'],
  ['text/event-stream, application/json', 'application/json'],
  ['application/json, text/event-stream;q=0.1', 'application/json'],
])('with Accept: %s', (accept, jsonType) => {
  test('a query, a mutation and an invalid document return JSON', async () => {
    const email = `${randomUUID()}@example.com`;
    const mutation = `mutation { createUser(input: { name: "Ada", email: "${email}" }) { user { id } } }`;
    for (const query of [
      '{ users { totalCount } }',
      mutation,
      'subscription {',
      'subscription { nothing } query Q { x }',
    ]) {
      const { headers } = await requestStream({ body: { query }, headers: { accept } });
      expect(headers['content-type']).toContain(jsonType);
    }
    expect((await findUser(email)).json).toMatchObject({ data: { userByEmail: { id: expect.any(String) } } });
  });

  test('a subscription is streamed', async () => {
    const query = 'query Q { users { totalCount } } subscription S { userChanged { id } }';
    const response = await requestStream({ body: { query, operationName: 'S' }, headers: { accept } });
    open.push(response);
    expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(response.headers['cache-control']).toBe('no-store, no-transform');
  });
});

test('a subscription returns 405 for GET, and 415 for content types that a form on another site can send', async () => {
  const query = 'subscription { userChanged { id } }';
  // RFC 9110 section 15.5.6.
  expect(await requestStream({ query: { query } }, 'GET')).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  expect((await requestStream({ body: { query }, headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  const headers = { 'content-encoding': 'gzip' };
  expect(await requestStream({ body: { query }, headers })).toMatchObject({
    status: 415,
    headers: { 'accept-encoding': 'identity' },
  });
});

test('other methods return 405 with the methods of the URL', async () => {
  const query = 'subscription { userChanged { id } }';
  const allow = 'GET, POST';
  expect(await requestStream({ body: { query } }, 'PUT')).toMatchObject({ status: 405, headers: { allow } });
});

test('a rejected subscription is answered in the JSON type that Accept names', async () => {
  const query = 'subscription { userChanged { unknown } }';
  const accept = 'application/graphql-response+json, text/event-stream';
  expect(await requestStream({ body: { query }, headers: { accept } })).toMatchObject({
    status: 400,
    headers: { 'content-type': 'application/graphql-response+json; charset=utf-8' },
  });
});

test('an empty operationName selects the only operation', async () => {
  const response = await requestStream({ body: { query: 'subscription S { userChanged { id } }', operationName: '' } });
  open.push(response);
  expect(response.status).toBe(200);
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
  const { status, json } = await requestSubscription(query);
  expect(status).toBe(400);
  expect(json).toMatchObject({ errors: [{ message: expect.stringMatching(message) }] });
});

test.each([
  'subscription { userChanged @skip(if: true) { id } }',
  'subscription { ...Root @include(if: false) } fragment Root on Subscription { userChanged { id } }',
  'subscription { ...Root } fragment Root on Subscription { userChanged @skip(if: true) { id } }',
])('a conditional root field returns 400: %s', async (query) => {
  const { status, json } = await requestSubscription(query);
  expect(status).toBe(400);
  expect(json).toMatchObject({ errors: [{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] });
});

test('a subscription to an impossible id returns NOT_FOUND', async () => {
  const { json } = await requestSubscription('subscription { userChanged(id: "unknown") { id } }');
  expect(json).toMatchObject({ errors: [{ extensions: { code: 'NOT_FOUND' } }] });
});

test.each([
  ['userChanged', 'subscription { userChanged(after: "") { id } }'],
  ['userChanged of one user', `subscription { userChanged(id: "${UNKNOWN_ID}", after: "") { id } }`],
  ['postChanged', `subscription { postChanged(authorId: "${UNKNOWN_ID}", after: "") { id } }`],
])('%s with an empty after returns BAD_USER_INPUT', async (_, query) => {
  const { json } = await requestSubscription(query);
  const message = 'after: must be a cursor of these changes, or a time in ISO 8601';
  expect(json).toMatchObject({ errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }] });
});
