import { describe, expect, test } from 'vitest';
import { codeOf, dataOf, execute, mutate, person, send } from './client.ts';

const found = (email: string) => dataOf('query ($email: String!) { userByEmail(email: $email) { id } }', { email });
const creation = ({ name, email }: { name: string; email: string }) =>
  `mutation { createUser(input: { name: "${name}", email: "${email}" }) { user { id } } }`;

describe('an error that is the caller’s', () => {
  test.each([
    ['GRAPHQL_PARSE_FAILED', '{ user(id: '],
    ['GRAPHQL_VALIDATION_FAILED', '{ user(id: "x") { shoeSize } }'],
    ['GRAPHQL_VALIDATION_FAILED', '{ user { id } }'],
    ['BAD_USER_INPUT', 'query ($id: ID!) { user(id: $id) { id } }'],
    ['OPERATION_RESOLUTION_FAILURE', 'query A { __typename } query B { __typename }'],
  ])('is %s, without data', async (code, query) => {
    const answer = await execute(query);
    expect([codeOf(answer), answer.data]).toEqual([code, undefined]);
  });

  test('is answered 200 as JSON, and 400 as a GraphQL response', async () => {
    const status = async (accept: string) => (await execute('{ nothing }', {}, { headers: { accept } })).status;
    expect([await status('application/json'), await status('application/graphql-response+json')]).toEqual([200, 400]);
  });

  test('tells a message and a code, and no stack trace', async () => {
    for (const answer of [await mutate('createUser', { name: '', email: '' }), await mutate('deletePost', { id: 'x' })])
      expect(answer.text).not.toMatch(/stacktrace|exception|originalError|node_modules/);
  });
});

describe('a request that is none', () => {
  test.each(['{"query":', '{}', '', '[]', '"{ __typename }"', '[{"query":"{ __typename }"}]'])(
    'is 400 BAD_REQUEST in JSON: %s',
    async (body) => {
      const answer = await send('POST', { body });
      expect([answer.status, codeOf(answer)]).toEqual([400, 'BAD_REQUEST']);
      expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
    },
  );

  test('is understood in base64, and with its Content-Type in any case', async () => {
    const body = Buffer.from(JSON.stringify({ query: '{ __typename }' })).toString('base64');
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    const answer = await send('POST', { body, isBase64Encoded: true, headers });
    expect(answer.data).toEqual({ __typename: 'Query' });
  });

  test.each(['PUT', 'DELETE', 'PATCH'])('is 405 by %s', async (method) => {
    const { status, headers } = await send(method, { body: { query: '{ __typename }' } });
    expect([status, headers.allow]).toEqual([405, 'GET, POST']);
  });

  test.each(['text/html', 'image/png', 'application/json;q=0'])('is 406 where Accept is %s', async (accept) => {
    expect((await execute('{ __typename }', {}, { headers: { accept } })).status).toBe(406);
  });
});

describe('a mutation is not run', () => {
  const refused = async (run: (document: string) => Promise<{ status: number; text: string }>) => {
    const input = person();
    const { status, text } = await run(creation(input));
    expect(JSON.parse(text).errors).toHaveLength(1);
    expect(await found(input.email)).toEqual({ userByEmail: null });
    return status;
  };

  test('by GET', async () => {
    const headers = { 'apollo-require-preflight': 'true' };
    expect(await refused((query) => send('GET', { query: { query }, headers }))).toBe(405);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'where a page of another site could send it: as %s',
    async (type) => {
      expect(await refused((query) => execute(query, {}, { headers: { 'content-type': type } }))).toBe(400);
    },
  );

  test('where it asks for an event stream', async () => {
    expect(await refused((query) => execute(query, {}, { headers: { accept: 'text/event-stream' } }))).toBe(406);
  });
});
