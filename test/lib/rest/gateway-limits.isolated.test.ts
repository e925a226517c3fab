import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test, vi } from 'vitest';
import { createContext } from '../../../infra/local/runtime.ts';
import { createGraphqlEvent, createRestEvent, type Query, type RequestOptions } from '../../setup/event.ts';
import { parseLinks } from '../../setup/links.ts';
import { newPerson } from '../../setup/test-data.ts';
import { bare } from './client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/filter-fields.json';
});
const { handler: graphql } = await import('../../../functions/graphql.ts');
const { handler: listUsers } = await import('../../../functions/list-users.ts');

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const MAX_HEADER_BYTES = 10_240;

const createIds = (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async () => ((await bare.create(newPerson())).json as { id: string }).id));

const wide = (length: number) => '語'.repeat(length);

test.each<[string, (ids: string[]) => Query, string[]]>([
  ['100 ids', (ids) => ({ id: ids, limit: '1' }), ['next']],
  ['an address', () => ({ email: newPerson().email, q: wide(256) }), ['first', 'last']],
  // First and last would repeat 6.4 kB each.
  ['all of these', (ids) => ({ id: ids, email: newPerson().email, q: wide(256) }), []],
])('the headers of a list by %s have less than 10,240 bytes', async (_, createQuery, rels) => {
  const ids = (await createIds(2)).concat(Array.from({ length: 98 }, () => uuidv7()));
  const response = await bare.list(createQuery(ids));
  expect(response.status).toBe(200);
  expect(Object.keys(parseLinks(response))).toEqual(rels);
  expect(JSON.stringify(response.headers).length).toBeLessThan(MAX_HEADER_BYTES);
});

test('an If-None-Match of 10 kB finds the current tag at its end', async () => {
  const [id = ''] = await createIds(1);
  const etag = String((await bare.get(id)).headers.etag);
  const stale = Array.from({ length: 1_200 }, (_, at) => `"${at + 1_000}"`).join(', ');
  expect(stale.length).toBeGreaterThan(9_500);
  expect((await bare.get(id, { 'if-none-match': `${stale}, ${etag}` })).status).toBe(304);
  expect((await bare.get(id, { 'if-none-match': stale })).status).toBe(200);
});

/** API Gateway joins the lines of a header by commas, and moves cookies to a member of their own. */
describe('an event of API Gateway', () => {
  const cookies = ['theme=dark', `session=${'x'.repeat(4_000)}`];

  test.each<[string, RequestOptions['headers'], object]>([
    ['cookies alone', {}, { statusCode: 200 }],
    ['two Accept lines', { accept: 'text/html,application/json' }, { statusCode: 200 }],
    ['two Accept lines without JSON', { accept: 'text/html,text/plain' }, { statusCode: 406 }],
    [
      'two Prefer lines',
      { prefer: 'return=minimal,count=exact' },
      { statusCode: 200, headers: { 'preference-applied': 'count=exact' } },
    ],
  ])('with %s is answered by REST', async (_, headers = {}, expected) => {
    const event = { ...createRestEvent('GET', '/v1/users', { query: { order: 'desc' }, headers }), cookies };
    expect(await listUsers(event, createContext())).toMatchObject(expected);
  });

  test('with cookies and two Accept lines is answered by GraphQL', async () => {
    const headers = { accept: 'text/html,application/json' };
    const event = createGraphqlEvent('POST', { headers, body: { query: '{ __typename }' } });
    // Returns a body instead of a stream, because tests lack Lambda's global `awslambda`.
    const handle = graphql as (...input: unknown[]) => Promise<object>;
    expect(await handle({ ...event, cookies }, createContext())).toMatchObject({
      statusCode: 200,
      body: expect.stringContaining('"__typename":"Query"'),
    });
  });
});
