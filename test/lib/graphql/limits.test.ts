import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { execute, fetchData, getErrorCode } from './client.ts';

const expectRejected = async (query: string, variables?: Record<string, unknown>) => {
  const response = await execute(query, variables, { headers: { accept: 'application/graphql-response+json' } });
  expect(response.status).toBe(400);
  expect(response.data).toBeUndefined();
  return getErrorCode(response);
};
const expectAccepted = async (query: string, variables?: Record<string, unknown>) =>
  expect((await execute(query, variables)).errors).toBeUndefined();

const withAliases = (count: number) =>
  `{ ${Array.from({ length: count }, (_, at) => `a${at}: user(id: "x") { id }`).join(' ')} }`;
/** Creates a document of this depth. `first: 1` keeps the cost low. */
const withDepth = (levels: number): string => {
  const nest = (left: number): string => {
    if (left === 1) return 'name';
    return left === 2 ? 'posts(first: 1) { id }' : `posts(first: 1) { author { ${nest(left - 2)} } }`;
  };
  return `{ user(id: "x") { ${nest(levels - 1)} } }`;
};
/** The cost is 1 + users × (3 + posts): each user counts its edge, its node, the list `posts` and the posts. */
const withCost = (users: number, posts: number) =>
  `{ users(first: ${users}) { edges { node { posts(first: ${posts}) { id } } } } }`;

function introspectSchema(aliases: number): string {
  const [, body = '', fragments = ''] = /__schema (\{.*?\n {6}\})\n {4}\}(.*)/s.exec(getIntrospectionQuery()) ?? [];
  const schemas = Array.from({ length: aliases }, (_, at) => `a${at}: __schema { ...S }`);
  return `{ ${schemas.join(' ')} } fragment S on __Schema ${body} ${fragments}`;
}
const introspectFields = (alias: string, aliases: number) =>
  `{ __schema { types { fields { ${Array.from({ length: aliases }, (_, at) => `${alias}${at}: name`).join(' ')} } } } }`;

describe('an operation', () => {
  test.each([
    ['15 aliases', withAliases(15), withAliases(16), 'GRAPHQL_VALIDATION_FAILED'],
    ['a depth of 10', withDepth(10), withDepth(11), 'GRAPHQL_VALIDATION_FAILED'],
    ['a cost of 5000', withCost(100, 46), withCost(100, 47), 'GRAPHQL_VALIDATION_FAILED'],
  ])('may have %s, and is rejected with more', async (_, most, more, code) => {
    await expectAccepted(most);
    expect(await expectRejected(more)).toBe(code);
  });

  test.each([
    ['aliases', withAliases(16), 'Aliases limit of 15 exceeded, found 16.'],
    ['levels', withDepth(11), 'Query depth limit of 10 exceeded, found 11.'],
  ])('with too many %s is not reported as a syntax error', async (_, query, message) => {
    expect((await execute(query)).errors).toMatchObject([{ message }]);
  });

  test('may have 1000 tokens, and is rejected with more', async () => {
    const operations = Array.from({ length: 200 }, (_, at) => `query Q${at} { __typename }`).join(' ');
    expect((await execute(operations, {}, {}, 'Q7')).data).toEqual({ __typename: 'Query' });
    expect(await expectRejected(operations.replace('__typename', '__typename __typename'))).toBe(
      'GRAPHQL_PARSE_FAILED',
    );
  });

  test('is rejected if it is too deep because of its fragments', async () => {
    const fragments = Array.from({ length: 6 }, (_, at) => {
      const next = at === 5 ? 'id' : `...F${at + 1}`;
      return `fragment F${at} on User { posts(first: 1) { author { ${next} } } }`;
    });
    expect(await expectRejected(`{ user(id: "x") { ...F0 } } ${fragments.join(' ')}`)).toBe(
      'GRAPHQL_VALIDATION_FAILED',
    );
  });

  test('is rejected if it costs too much because of fragments and variables', async () => {
    const document = `query ($posts: Int) { users(first: 100) { edges { node { ...F } } } }
      fragment F on User { posts(first: $posts) { id } }`;
    await expectAccepted(document, { posts: 46 });
    expect(await expectRejected(document, { posts: 47 })).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('is rejected if nested lists without first cost too much', async () => {
    const document = '{ users(first: 100) { edges { node { posts { author { posts { id } } } } } } }';
    expect(await expectRejected(document)).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('is accepted even if another operation of the document costs too much', async () => {
    const document = `query Cheap { user(id: "x") { id } } query Expensive ${withCost(100, 100)}`;
    const run = (operationName: string) => execute(document, {}, {}, operationName);
    expect((await run('Cheap')).errors).toBeUndefined();
    expect(getErrorCode(await run('Expensive'))).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('is rejected if its fragments spread each other', async () => {
    const { errors = [] } = await execute(
      '{ user(id: "x") { ...A } } fragment A on User { ...B } fragment B on User { ...A }',
    );
    expect(errors.map(({ extensions }) => extensions.code)).toContain('GRAPHQL_VALIDATION_FAILED');
  });

  test('may be the introspection query of tools', async () => {
    const data = await fetchData<{ __schema: { types: { name: string }[] } }>(getIntrospectionQuery());
    expect(data.__schema.types.map(({ name }) => name)).toContain('User');
  });

  test.each([
    ['the whole schema once, not twice', introspectSchema(1), introspectSchema(2)],
    [
      'ten short keys in each field, not ten of 500 characters',
      introspectFields('x', 10),
      introspectFields('x'.repeat(499), 10),
    ],
  ])('may introspect %s', async (_, most, more) => {
    const { errors, text } = await execute(most);
    expect(errors).toBeUndefined();
    expect(text.length).toBeLessThan(150_000);
    expect(await expectRejected(more)).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});
