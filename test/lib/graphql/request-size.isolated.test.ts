import { describe, expect, test } from 'vitest';
import { requestStream } from '../features/change-log/sse/sse-client.ts';

const QUERY = '{ __typename }';
const SUBSCRIPTION = 'subscription { userChanged { id } }';
const headers = { 'apollo-require-preflight': 'true' };

const withBytes = (document: string, bytes: number) => document.padEnd(bytes, '#');

describe.each([
  ['POST', QUERY, (query: string) => requestStream({ body: { query }, headers: { accept: 'application/json' } })],
  [
    'GET',
    QUERY,
    (query: string) => requestStream({ query: { query }, headers: { ...headers, accept: 'application/json' } }, 'GET'),
  ],
  ['SSE', SUBSCRIPTION, (query: string) => requestStream({ body: { query } })],
])('%s', (_, document, send) => {
  test('accepts a document of 20,000 bytes', async () => {
    const response = await send(withBytes(document, 20_000));
    expect(response.status).toBe(200);
    await response.disconnect();
  });

  test('returns 400 for a larger document', async () => {
    const { status, json } = await send(withBytes(document, 20_001));
    expect([status, json?.errors]).toEqual([
      400,
      [
        {
          message: 'The document has 20001 bytes, which is more than 20000',
          extensions: { code: 'GRAPHQL_PARSE_FAILED' },
        },
      ],
    ]);
  });

  test('returns 413 for a request of more than 100,000 bytes, before the document is checked', async () => {
    const { status, json } = await send(withBytes(document, 100_001));
    expect([status, json?.errors?.[0]?.extensions.code]).toEqual([413, 'BAD_REQUEST']);
    expect(json?.errors?.[0]?.message).toMatch(/more than 100000/);
  });
});

describe.each([
  ['POST', 'application/json', QUERY],
  ['SSE', 'text/event-stream', SUBSCRIPTION],
])('%s', (_, accept, query) => {
  test('returns 413 for variables of a megabyte', async () => {
    const body = { query, variables: { name: 'x'.repeat(1_000_000) } };
    expect((await requestStream({ body, headers: { accept } })).status).toBe(413);
  });

  test('returns 400 for variables that are nested more than 32 levels deep, before they are parsed', async () => {
    const nested = `{"query":"${query}","variables":{"x":${'['.repeat(31)}`;
    const { status, json } = await requestStream({ body: nested, headers: { accept } });
    expect([status, json?.errors?.[0]]).toEqual([
      400,
      { message: 'The body is nested more than 32 levels deep', extensions: { code: 'BAD_REQUEST' } },
    ]);
  });

  test('returns 400 for a body that is not UTF-8', async () => {
    const [start = '', end] = JSON.stringify({ query: `${query} # ?` }).split('?');
    const body = Buffer.concat([Buffer.from(start), Buffer.from([0xff]), Buffer.from(end ?? '')]).toString('base64');
    const { status, json } = await requestStream({ body, isBase64Encoded: true, headers: { accept } });
    expect([status, json?.errors?.[0]]).toEqual([
      400,
      { message: 'The body is not valid UTF-8', extensions: { code: 'BAD_REQUEST' } },
    ]);
  });
});
