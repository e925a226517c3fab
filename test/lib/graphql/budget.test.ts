import { v7 as uuidv7 } from 'uuid';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { table } from '../../../lib/dynamodb/client.ts';
import { formatPostId, newPostKey } from '../../../lib/dynamodb/keys.ts';
import { Budget } from '../../../lib/graphql/budget.ts';
import { createPost, createUser, execute, fetchData, getErrorCode } from './client.ts';

const requests = vi.spyOn(table, 'send');
afterEach(() => requests.mockClear());

async function countItems(): Promise<number> {
  const pages = await Promise.all(requests.mock.results.map(({ value }) => value));
  return pages.reduce((sum, { Items = [] }) => sum + Items.length, 0);
}

async function createAuthor(posts: number, title: string): Promise<{ id: string; postIds: string[] }> {
  const { id } = await createUser();
  const keys = Array.from({ length: posts }, () => newPostKey(id, uuidv7()));
  await putItems(keys.map((key) => ({ ...key, title })));
  requests.mockClear();
  return { id, postIds: keys.map(formatPostId) };
}

describe('a request', () => {
  test('reads the posts of an author once, even if selected several times', async () => {
    const { id, postIds } = await createAuthor(100, 'On Engines');
    const { user } = await fetchData<{ user: { posts: { author: { posts: { id: string }[] } }[] } }>(
      'query ($id: ID!) { user(id: $id) { posts { author { posts { id } } } } }',
      { id },
    );
    const expected = postIds.map((id) => ({ id }));
    expect(user.posts).toHaveLength(100);
    for (const { author } of user.posts) expect(author.posts).toEqual(expected);
    expect(await countItems()).toBe(100);
    expect(requests).toHaveBeenCalledTimes(2);
  });

  test('does not read the users of a list again as authors of their posts', async () => {
    const { id } = await createAuthor(3, 'On Engines');
    const document = '{ users(first: 1, order: DESC) { edges { node { posts { author { id } } } } } }';
    const posts = Array.from({ length: 3 }, () => ({ author: { id } }));
    expect(await fetchData(document)).toEqual({ users: { edges: [{ node: { posts } }] } });
    expect(requests.mock.calls.map(([command]) => command.constructor.name)).toEqual(['QueryCommand', 'QueryCommand']);
  });

  test('fails after reading 10,000 items', async () => {
    const { id, postIds } = await createAuthor(1800, 'On Engines');
    const lists = postIds.slice(0, 15).map((after, at) => `p${at}: posts(after: "${after}") { id }`);
    const response = await execute(`query ($id: ID!) { user(id: $id) { ${lists.join(' ')} } }`, { id });
    expect(getErrorCode(response)).toBe('BAD_USER_INPUT');
    expect(response.errors?.[0]?.message).toBe(
      'The operation reads more than 10000 items; use first to limit its lists, or send several requests',
    );
    expect(response.data).toEqual({ user: null });
    // When the limit of 10,000 is exceeded, each of 15 lists may be waiting for one more page.
    expect(await countItems()).toBeLessThan(10_000 + 15 * 201);
  });

  test('fails before it returns more than 20,000 items', async () => {
    const { id } = await createAuthor(150, 'On Engines');
    const document = 'query ($id: ID!) { user(id: $id) { posts { author { posts { id } } } } }';
    const response = await execute(document, { id });
    expect(getErrorCode(response)).toBe('BAD_USER_INPUT');
    expect(response.errors?.[0]?.message).toBe(
      'The operation returns more than 20000 items; use first to limit its lists, or send several requests',
    );
  });

  test('fails before it returns more than 5,000,000 bytes', async () => {
    const { id } = await createAuthor(100, '🦊'.repeat(256));
    const document = 'query ($id: ID!) { user(id: $id) { posts { author { posts { title } } } } }';
    const response = await execute(document, { id });
    expect(getErrorCode(response)).toBe('BAD_USER_INPUT');
    expect(response.errors?.[0]?.message).toBe(
      'The operation returns more than 5000000 bytes; use first to limit its lists, or send several requests',
    );
    expect(response.data).toEqual({ user: null });
  });

  test('may return 5,000,000 bytes including the response keys', async () => {
    const { id } = await createAuthor(100, 'x');
    const document = (bytes: number) =>
      `query ($id: ID!) { user(id: $id) { posts { author { posts { ${'x'.repeat(bytes)}: title } } } } }`;
    const { text, errors } = await execute(document(480), { id });
    expect(errors).toBeUndefined();
    expect(text.length).toBeLessThan(5_000_000);
    expect(getErrorCode(await execute(document(500), { id }))).toBe('BAD_USER_INPUT');
  });

  test('counts the users once for several connections', async () => {
    await createUser();
    requests.mockClear();
    const aliases = Array.from({ length: 15 }, (_, at) => `a${at}: users(first: 1) { totalCount }`);
    const data = await fetchData<Record<string, { totalCount: number }>>(`{ ${aliases.join(' ')} }`);
    expect(new Set(Object.values(data).map(({ totalCount }) => totalCount)).size).toBe(1);
    const counts = requests.mock.calls.filter(
      ([{ input }]) => 'ProjectionExpression' in input && input.ProjectionExpression === 'pk',
    );
    expect(counts).toHaveLength(1);
  });

  test('returns what was reserved and not read', () => {
    const budget = new Budget();
    budget.spendRead(9_000);
    budget.spendRead(-8_000);
    budget.spendRead(9_000);
    expect(() => budget.spendRead(1)).toThrow('The operation reads more than 10000 items');
  });

  test('has a separate budget in every request', async () => {
    const { id } = await createAuthor(60, '🦊'.repeat(256));
    const document = 'query ($id: ID!) { user(id: $id) { posts { author { posts { title } } } } }';
    for (let count = 0; count < 3; count++) expect((await execute(document, { id })).errors).toBeUndefined();
  });
});

test('a mutation sees the posts that an earlier one in the same request has created', async () => {
  const { id } = await createUser();
  await createPost(id);
  const create = (title: string) => `createPost(input: { authorId: "${id}", title: "${title}" }) {
    post { author { posts { title } } } }`;
  const data = await fetchData<Record<string, { post: { author: { posts: unknown[] } } }>>(
    `mutation { a: ${create('A')} b: ${create('B')} }`,
  );
  expect([data.a?.post.author.posts.length, data.b?.post.author.posts.length]).toEqual([2, 3]);
});
