import { afterEach, describe, expect, test, vi } from 'vitest';
import { INEXACT_NUMBER } from '../../../lib/input/exact-json.ts';
import { requestStream } from '../features/change-log/sse/sse-client.ts';

const MAX_BYTES = 4_096;

const errors = vi.spyOn(console, 'error').mockImplementation(() => {});
afterEach(() => errors.mockClear());

type Parameters = { query: string; variables?: unknown; operationName?: string };

async function reject(body: Parameters, accept = 'application/graphql-response+json') {
  const { status, json } = await requestStream({ body, headers: { accept } });
  const codes = json?.errors?.map(({ extensions }) => extensions.code);
  expect([status, json?.data ?? null, errors.mock.calls]).toEqual([status, null, []]);
  expect(codes).not.toContain('INTERNAL_SERVER_ERROR');
  expect(Buffer.byteLength(JSON.stringify(json))).toBeLessThanOrEqual(MAX_BYTES);
  return json?.errors ?? [];
}

const members = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, value]));
const repeat = (count: number, part: (at: number) => string) => Array.from({ length: count }, (_, at) => part(at));

const CREATE = 'mutation ($i: CreateUserInput!) { createUser(input: $i) { user { id } } }';
const PUBLISH = 'mutation ($i: PublishPostInput!) { publishPost(input: $i) { post { id } } }';
const USER = 'query ($id: ID!) { user(id: $id) { id } }';
const USERS = 'query ($order: SortOrder, $first: Int) { users(order: $order, first: $first) { totalCount } }';
const FOLLOW = 'subscription ($id: ID) { userChanged(id: $id) { id } }';

describe('a variable', () => {
  test.each([51, 9_000])('with %i unknown members causes one short error', async (count) => {
    expect(await reject({ query: CREATE, variables: { i: members(count) } })).toEqual([
      {
        message: 'Variable "$i" got invalid value; Field "name" of required type "String!" was not provided.',
        locations: [{ line: 1, column: 11 }],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    const i = { name: 'Ada', email: 'ada@example.org', ...members(count) };
    const message = 'Variable "$i" got invalid value; Field "f0" is not defined by type "CreateUserInput".';
    expect(await reject({ query: CREATE, variables: { i } })).toMatchObject([{ message }]);
  });

  test.each([
    ['many unknown members and a long value', CREATE, { i: { ...members(55), ['"'.repeat(49_000)]: 1 } }],
    ['an unknown member with a long name', CREATE, { i: { name: 'A', email: 'a@b.c', ['"'.repeat(49_000)]: 1 } }],
    ['a string that is an object', CREATE, { i: { name: members(9_000), email: 'ada@example.org' } }],
    ['a string that is a nested list', CREATE, { i: { name: [[members(9_000)]], email: 'ada@example.org' } }],
    ['an input that is a list', CREATE, { i: Array.from({ length: 9_000 }, () => members(1)) }],
    ['an input that is a text', CREATE, { i: '\u0007'.repeat(15_000) }],
    ['an id that is an object', USER, { id: members(9_000) }],
    ['an id that is a list', USER, { id: [['x'.repeat(90_000)]] }],
    ['a time that is a text', PUBLISH, { i: { id: 'x', publishedAt: '9'.repeat(90_000) } }],
    ['a time that is an object', PUBLISH, { i: { id: 'x', publishedAt: members(9_000) } }],
    ['an enum value that is a text', USERS, { order: 'ASC'.repeat(30_000) }],
    ['an enum value that is an object', USERS, { order: members(9_000) }],
    ['a number that is a text', USERS, { first: '1'.repeat(90_000) }],
    ['a number that is an object', USERS, { first: members(9_000) }],
  ])('with %s causes one short error', async (_, query, variables) => {
    expect(await reject({ query, variables })).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  test('with an invalid member causes an error that names the member', async () => {
    const i = { name: { first: 'Ada' }, email: 'ada@example.org' };
    const message = `Variable "$i" got invalid value at "i.name"; String cannot represent a non string value: { first: "Ada" }`;
    expect(await reject({ query: CREATE, variables: { i } })).toMatchObject([{ message }]);
  });

  test.each([
    ['missing', {}, 'Variable "$i" of required type "CreateUserInput!" was not provided.'],
    ['null', { i: null }, 'Variable "$i" of non-null type "CreateUserInput!" must not be null.'],
  ])('that is %s causes one error', async (_, variables, message) => {
    expect(await reject({ query: CREATE, variables })).toMatchObject([
      { message, extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  test.each([
    ['members', { id: members(9_000) }],
    ['a list', { id: [['x'.repeat(90_000)]] }],
  ])('of a subscription with %s causes one short error', async (_, variables) => {
    expect(await reject({ query: FOLLOW, variables }, 'text/event-stream')).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  // Validation accepts a nullable variable with a default where the schema requires a value. The value null is then
  // wrong.
  test.each([
    ['an argument', 'query ($id: ID = "x") { user(id: $id) { id } }', { id: null }],
    ['a member', 'query ($n: String = "x") { a: userByEmail(email: $n) { id } }', { n: null }],
    [
      'a nested member',
      'mutation ($n: String = "x") { createUser(input: { name: $n, email: "a" }) { user { id } } }',
      { n: null },
    ],
    ['a directive', 'query ($on: Boolean = true) { users @include(if: $on) { totalCount } }', { on: null }],
    ['a nested directive', 'query ($on: Boolean = true) { users { totalCount @skip(if: $on) } }', { on: null }],
    ['a subscription', 'subscription ($id: ID = "x") { postChanged(authorId: $id) { id } }', { id: null }],
  ])('that is null although %s is not nullable fails the whole request', async (what, query, variables) => {
    const accept = what === 'a subscription' ? 'text/event-stream' : undefined;
    expect(await reject({ query, variables }, accept)).toHaveLength(1);
  });
});

describe('a number that JSON.parse would change', () => {
  const variables = '{"first":10,"more":[9007199254740993]}';
  const query = 'query ($first: Int) { users(first: $first) { totalCount } }';
  const json = { accept: 'application/json' };
  test.each([
    ['a POST', () => requestStream({ body: `{"query":"${query}","variables":${variables}}`, headers: json })],
    ['a subscription', () => requestStream({ body: `{"query":"${FOLLOW}","variables":${variables}}` })],
    [
      'a GET',
      () =>
        requestStream({ query: { query, variables }, headers: { ...json, 'apollo-require-preflight': '1' } }, 'GET'),
    ],
  ])('is rejected in the variables of %s', async (_, send) => {
    const { status, json } = await send();
    expect([status, json?.errors]).toMatchObject([
      400,
      [{ message: expect.stringContaining(INEXACT_NUMBER), extensions: { code: 'BAD_USER_INPUT' } }],
    ]);
  });

  test('is rejected in a literal, except as an ID, which keeps its text', async () => {
    expect(await reject({ query: '{ userChanges(first: 9007199254740993) { endCursor } }' })).toContainEqual(
      expect.objectContaining({ message: `The number ${INEXACT_NUMBER}` }),
    );
    const { status, json } = await requestStream({
      body: { query: '{ user(id: 9007199254740993) { id } }' },
      headers: { accept: 'application/json' },
    });
    expect([status, json]).toEqual([200, { data: { user: null } }]);
  });

  test('does not hide that variables of a GET are not JSON', async () => {
    const headers = { ...json, 'apollo-require-preflight': '1' };
    const response = await requestStream({ query: { query, variables: '{"a":9007199254740993' }, headers }, 'GET');
    expect([response.status, response.json?.errors?.[0]?.extensions.code]).toEqual([400, 'BAD_REQUEST']);
  });
});

const name = 'x'.repeat(18_000);

describe('a document', () => {
  test.each([
    [
      'unknown members of a literal',
      `mutation { createUser(input: { ${repeat(300, (at) => `f${at}: 1`)} }) { user { id } } }`,
    ],
    ['a long literal', `{ user(id: { a: "${name}" }) { id } }`],
    ['a long enum value', `{ users(order: ${name}) { totalCount } }`],
    ['a long time', `mutation { publishPost(input: { id: "x", publishedAt: "${name}" }) { post { id } } }`],
    ['unknown fields', `{ ${repeat(400, (at) => `user${at}`)} }`],
    ['one long unknown field', `{ ${name} }`],
    ['long names of variables', `query (${repeat(15, (at) => `$${'v'.repeat(1_000)}${at}: Int`)}) { __typename }`],
    ['the same operation many times', repeat(190, () => 'query Q { __typename }').join(' ')],
    ['the same argument many times', `{ user(${repeat(240, () => 'id: "x"')}) { id } }`],
    ['the same field with other arguments', `{ ${repeat(100, (at) => `user(id: "${at}") { id }`)} }`],
    [
      'fragments that spread each other',
      repeat(100, (at) => `fragment F${at} on User { ...F${(at + 1) % 100} }`).join(' '),
    ],
    ['a syntax error at a long name', `query Q ${name} { __typename }`],
    ['a syntax error at control characters', `query Q "${'\u0001'.repeat(9_000)}" { __typename }`],
    ['too many tokens', `{ ${'a '.repeat(2_000)} }`],
    ['a long alias of what fails', `{ ${name}: users(first: 0) { totalCount } }`],
    ['an unknown directive with a long name', `{ __typename @${name} }`],
  ])('with %s gets a short response', async (_, query) => {
    expect(await reject({ query })).not.toEqual([]);
    const subscription = query.replace(/^(query|mutation)?/, 'subscription');
    expect(await reject({ query: subscription }, 'text/event-stream')).not.toEqual([]);
  });

  test('with a long operationName gets a short response', async () => {
    const body = { query: 'query A { __typename } query B { __typename }', operationName: '"'.repeat(40_000) };
    expect(await reject(body)).toMatchObject([{ extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } }]);
  });
});
