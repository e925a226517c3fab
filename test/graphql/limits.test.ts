import { getIntrospectionQuery } from 'graphql';
import { describe, expect, test } from 'vitest';
import { codeOf, dataOf, execute } from './client.ts';

const refused = async (query: string, variables?: Record<string, unknown>) => {
  const answer = await execute(query, variables, { headers: { accept: 'application/graphql-response+json' } });
  expect(answer.status).toBe(400);
  expect(answer.data).toBeUndefined();
  return codeOf(answer);
};
const taken = async (query: string, variables?: Record<string, unknown>) =>
  expect((await execute(query, variables)).errors).toBeUndefined();

const ofAliases = (count: number) =>
  `{ ${Array.from({ length: count }, (_, at) => `a${at}: user(id: "x") { id }`).join(' ')} }`;
/** Fields within fields, each other one a list of one. */
const ofDepth = (levels: number): string => {
  const below = (left: number): string => {
    if (left === 1) return 'name';
    return left === 2 ? 'posts(first: 1) { id }' : `posts(first: 1) { author { ${below(left - 2)} } }`;
  };
  return `{ user(id: "x") { ${below(levels - 1)} } }`;
};
/** users: 1 + first × (edges, node, posts: 3, and the posts themselves). */
const ofCost = (users: number, posts: number) =>
  `{ users(first: ${users}) { edges { node { posts(first: ${posts}) { id } } } } }`;

describe('the bounds of an operation', () => {
  test.each([
    ['15 aliases', ofAliases(15), ofAliases(16), 'GRAPHQL_VALIDATION_FAILED'],
    ['a depth of 10', ofDepth(10), ofDepth(11), 'GRAPHQL_VALIDATION_FAILED'],
    ['a cost of 5000', ofCost(100, 46), ofCost(100, 47), 'GRAPHQL_VALIDATION_FAILED'],
  ])('take %s, and refuse more', async (_, most, more, code) => {
    await taken(most);
    expect(await refused(more)).toBe(code);
  });

  test('take 1000 tokens, and refuse more', async () => {
    const operations = Array.from({ length: 200 }, (_, at) => `query Q${at} { __typename }`).join(' ');
    expect((await execute(operations, {}, {}, 'Q7')).data).toEqual({ __typename: 'Query' });
    expect(await refused(operations.replace('__typename', '__typename __typename'))).toBe('GRAPHQL_PARSE_FAILED');
  });

  test('count the depth of fragments', async () => {
    const fragments = Array.from({ length: 6 }, (_, at) => {
      const next = at === 5 ? 'id' : `...F${at + 1}`;
      return `fragment F${at} on User { posts(first: 1) { author { ${next} } } }`;
    });
    expect(await refused(`{ user(id: "x") { ...F0 } } ${fragments.join(' ')}`)).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('count the cost of fragments and of variables', async () => {
    const document = `query ($posts: Int) { users(first: 100) { edges { node { ...F } } } }
      fragment F on User { posts(first: $posts) { id } }`;
    await taken(document, { posts: 46 });
    expect(await refused(document, { posts: 47 })).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('count a list without first as one of many', async () => {
    const document = '{ users(first: 100) { edges { node { posts { author { posts { id } } } } } } }';
    expect(await refused(document)).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('count the cost of the operation that is run, not of others in the document', async () => {
    const document = `query Cheap { user(id: "x") { id } } query Dear ${ofCost(100, 100)}`;
    const run = (operationName: string) => execute(document, {}, {}, operationName);
    expect((await run('Cheap')).errors).toBeUndefined();
    expect(codeOf(await run('Dear'))).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  test('refuse fragments that spread each other', async () => {
    const { errors = [] } = await execute(
      '{ user(id: "x") { ...A } } fragment A on User { ...B } fragment B on User { ...A }',
    );
    expect(errors.map(({ extensions }) => extensions.code)).toContain('GRAPHQL_VALIDATION_FAILED');
  });

  test('leave room for the introspection of tools', async () => {
    const data = await dataOf<{ __schema: { types: { name: string }[] } }>(getIntrospectionQuery());
    expect(data.__schema.types.map(({ name }) => name)).toContain('User');
  });
});
