import { describe, expect, test } from 'vitest';
import { newPerson } from '../../setup/test-data.ts';
import { execute, fetchData, getErrorCode, mutate, send } from './client.ts';

const findUser = (email: string) =>
  fetchData('query ($email: String!) { userByEmail(email: $email) { id } }', { email });
const createUserDocument = ({ name, email }: { name: string; email: string }) =>
  `mutation { createUser(input: { name: "${name}", email: "${email}" }) { user { id } } }`;

describe('a client error', () => {
  test.each([
    ['GRAPHQL_PARSE_FAILED', '{ user(id: '],
    ['GRAPHQL_VALIDATION_FAILED', '{ user(id: "x") { shoeSize } }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ user { id } }'],
    ['BAD_USER_INPUT', 'query ($id: ID!) { user(id: $id) { id } }'],
    ['OPERATION_RESOLUTION_FAILURE', 'query A { __typename } query B { __typename }'],
  ])('has code %s and no data: %s', async (code, query) => {
    const response = await execute(query);
    expect([getErrorCode(response), response.data]).toEqual([code, undefined]);
  });

  test('has a message and a code, and no stack trace', async () => {
    for (const response of [
      await mutate('createUser', { name: '', email: '' }),
      await mutate('deletePost', { id: 'x' }),
    ])
      expect(response.text).not.toMatch(/stacktrace|exception|originalError|node_modules/);
  });
});

describe('a malformed request', () => {
  test.each(['{"query":', '{}', '', '[]', '"{ __typename }"', '[{"query":"{ __typename }"}]'])(
    'returns 400 BAD_REQUEST as JSON for the body %s',
    async (body) => {
      const response = await send('POST', { body });
      expect([response.status, getErrorCode(response)]).toEqual([400, 'BAD_REQUEST']);
      expect(response.headers['content-type']).toMatch(/^application\/json\b/);
    },
  );

  test('a body in base64 and a Content-Type in any case are accepted', async () => {
    const body = Buffer.from(JSON.stringify({ query: '{ __typename }' })).toString('base64');
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    const response = await send('POST', { body, isBase64Encoded: true, headers });
    expect(response.data).toEqual({ __typename: 'Query' });
  });

  test('a body may begin with a byte order mark', async () => {
    const body = `\uFEFF${JSON.stringify({ query: '{ __typename }' })}`;
    expect((await send('POST', { body })).data).toEqual({ __typename: 'Query' });
  });

  test.each([undefined, 'application/graphql', 'text/plain', 'application/x-www-form-urlencoded', 'application/json5'])(
    'the Content-Type %s returns 415',
    async (type) => {
      const headers = { 'content-type': type, 'apollo-require-preflight': 'true' };
      const { status, text } = await execute('{ __typename }', {}, { headers });
      expect([status, JSON.parse(text).errors[0].message]).toEqual([415, 'The Content-Type must be application/json']);
    },
  );

  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/xml', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=utf-8', 200],
    [undefined, 400],
  ])('GET with the Content-Type %s returns %i', async (type, status) => {
    const headers = { 'content-type': type };
    expect((await send('GET', { query: { query: '{ __typename }' }, headers })).status).toBe(status);
  });

  test('a body of another charset than UTF-8 returns 415', async () => {
    const headers = { 'content-type': 'application/json; charset=ISO-8859-1' };
    const { status, errors } = await execute('{ __typename }', {}, { headers });
    expect([status, errors]).toMatchObject([415, [{ message: 'The charset of the body must be UTF-8' }]]);
  });

  test('an empty body says so', async () => {
    expect((await send('POST', { body: '' })).text).toContain('The body is empty');
  });

  test('a compressed body returns 415 with Accept-Encoding', async () => {
    const response = await execute('{ __typename }', {}, { headers: { 'content-encoding': 'gzip' } });
    expect([response.status, response.headers['accept-encoding']]).toEqual([415, 'identity']);
  });

  // Required by GraphQL over HTTP, section 5.2.
  test('an empty operationName counts as absent', async () => {
    const query = 'query Named { __typename }';
    const data = { __typename: 'Query' };
    const headers = { 'apollo-require-preflight': 'true' };
    expect((await execute(query, {}, {}, '')).data).toEqual(data);
    expect((await send('GET', { query: { query, operationName: '' }, headers })).data).toEqual(data);
    expect(getErrorCode(await execute(`${query} query Other { __typename }`, {}, {}, ''))).toBe(
      'OPERATION_RESOLUTION_FAILURE',
    );
  });

  test.each(['PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'])('%s returns 405', async (method) => {
    for (const request of [{ body: { query: '{ __typename }' } }, {}, { headers: { accept: 'text/html' } }]) {
      const { status, headers } = await send(method, request);
      expect([status, headers.allow]).toEqual([405, 'GET, POST']);
    }
  });

  // A response that lacks data has status 200 only as application/json (GraphQL over HTTP, section 6.4.2).
  test.each([
    ['application/json', 200],
    ['application/graphql-response+json', 400],
  ])('a persisted query in %s returns %i, and is not cached', async (accept, expected) => {
    const body = { extensions: { persistedQuery: { version: 1, sha256Hash: 'a' } } };
    const { status, headers, text } = await send('POST', { body, headers: { accept } });
    expect([status, headers['cache-control']]).toEqual([expected, 'no-store']);
    expect(headers['content-type']).toContain(accept);
    expect(text).toContain('PERSISTED_QUERY_NOT_SUPPORTED');
  });

  test.each(['text/html', 'image/png', 'application/json;q=0'])('Accept: %s returns 406', async (accept) => {
    expect((await execute('{ __typename }', {}, { headers: { accept } })).status).toBe(406);
  });
});

describe('the media type of a response', () => {
  test.each([
    ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', 'graphql-response+json'],
    ['application/graphql-response+json, application/json;q=0.9', 'graphql-response+json'],
    ['application/json, application/graphql-response+json;q=0.9', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['application/json; v=1', 'json'],
    ['', 'json'],
    ['*', 'json'],
    ['*/*', 'json'],
    [undefined, 'json'],
  ])('is chosen by Accept: %s', async (accept, subtype) => {
    const { status, headers } = await execute('{ __typename }', {}, { headers: { accept } });
    expect([status, headers['content-type']]).toEqual([200, `application/${subtype}; charset=utf-8`]);
  });

  test('is the accepted one also for errors before the execution', async () => {
    const accept = 'application/graphql-response+json';
    const { status, headers } = await send('POST', { body: '{', headers: { accept } });
    expect([status, headers['content-type']]).toEqual([400, `${accept}; charset=utf-8`]);
  });
});

describe('a mutation is not executed', () => {
  const expectNotExecuted = async (run: (document: string) => Promise<{ status: number; text: string }>) => {
    const input = newPerson();
    const { status, text } = await run(createUserDocument(input));
    expect(JSON.parse(text).errors).toHaveLength(1);
    expect(await findUser(input.email)).toEqual({ userByEmail: null });
    return status;
  };

  test('by GET', async () => {
    const headers = { 'apollo-require-preflight': 'true' };
    expect(await expectNotExecuted((query) => send('GET', { query: { query }, headers }))).toBe(405);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'if a form of another site could have sent it, as %s',
    async (type) => {
      expect(await expectNotExecuted((query) => execute(query, {}, { headers: { 'content-type': type } }))).toBe(415);
    },
  );

  test('if Accept is text/event-stream', async () => {
    expect(await expectNotExecuted((query) => execute(query, {}, { headers: { accept: 'text/event-stream' } }))).toBe(
      406,
    );
  });
});

test.each(['application/json', 'text/html'])(
  'browsers do not guess the type of a buffered answer to Accept: %s',
  async (accept) => {
    const { headers } = await execute('{ __typename }', {}, { headers: { accept } });
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff' });
  },
);
