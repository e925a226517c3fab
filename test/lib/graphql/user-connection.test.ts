import { beforeAll, describe, expect, test } from 'vitest';
import { createUser, execute, fetchData, getErrorCode, mutate, type User } from './client.ts';

type Connection = {
  edges: { cursor: string; node: User }[];
  nodes: User[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  totalCount: number;
};

const document = `query ($first: Int, $after: String, $order: SortOrder) {
  users(first: $first, after: $after, order: $order) {
  edges { cursor node { id name email version } }
  nodes { id name email version }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  totalCount
} }`;
const read = async (variables: { first?: number; after?: string | null; order?: string | null } = {}) =>
  (await fetchData<{ users: Connection }>(document, variables)).users;

test('the connection has no edges and null cursors if there are no users', async () => {
  expect(await read()).toEqual({
    edges: [],
    nodes: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    totalCount: 0,
  });
});

describe('users', () => {
  const users: User[] = [];
  beforeAll(async () => {
    while (users.length < 25) users.push(await createUser());
  });

  test('without first, the page has the 20 oldest users', async () => {
    const page = await read();
    expect(page.nodes).toEqual(users.slice(0, 20));
    expect(page.edges.map(({ node }) => node)).toEqual(page.nodes);
    expect(page).toMatchObject({ pageInfo: { hasNextPage: true, hasPreviousPage: false }, totalCount: 25 });
  });

  test.each([
    [4, 'DESC'],
    [7, 'ASC'],
    [7, 'DESC'],
    [25, null],
    [100, 'DESC'],
  ])('following endCursor with first: %i and order: %s returns every user exactly once', async (first, order) => {
    const found: User[] = [];
    let [page, after]: [Connection | undefined, string | null] = [undefined, null];
    do {
      page = await read({ first, after, order });
      const { pageInfo, edges } = page;
      expect(pageInfo).toMatchObject({
        startCursor: edges[0]?.cursor,
        endCursor: edges.at(-1)?.cursor,
        hasPreviousPage: after !== null,
      });
      expect(page.totalCount).toBe(25);
      found.push(...page.nodes);
      after = pageInfo.endCursor;
    } while (page.pageInfo.hasNextPage);
    expect(found).toEqual(order === 'DESC' ? users.toReversed() : users);
  });

  test('after the cursor of any edge, the page starts with the next user', async () => {
    const { edges } = await read({ first: 10 });
    expect((await read({ first: 2, after: edges[3]?.cursor ?? '' })).nodes).toEqual(users.slice(4, 6));
  });

  test('after the last user, the page is empty', async () => {
    const { pageInfo } = await read({ first: 100 });
    const end = await read({ after: pageInfo.endCursor });
    expect(end).toMatchObject({ edges: [], pageInfo: { hasNextPage: false, endCursor: null }, totalCount: 25 });
  });

  test('the cursor of a deleted user stays valid', async () => {
    const [deleted, next] = [await createUser(), await createUser()];
    const { endCursor: after } = (await read({ first: 26 })).pageInfo;
    expect((await mutate('deleteUser', { id: deleted.id })).errors).toBeUndefined();
    expect((await read({ after })).nodes).toEqual([next]);
    await mutate('deleteUser', { id: next.id });
    expect((await read()).totalCount).toBe(25);
  });

  test.each([{ first: 0 }, { first: -1 }, { first: 101 }, { first: 2 ** 31 - 1 }, { after: '' }, { after: 'ada' }])(
    'arguments %j are rejected with BAD_USER_INPUT',
    async (variables) => {
      expect(getErrorCode(await execute(document, variables))).toBe('BAD_USER_INPUT');
    },
  );

  test('users can be selected with their posts and the authors of the posts', async () => {
    const [{ id, name } = { id: '', name: '' }] = users;
    await mutate('createPost', { authorId: id, title: 'On Engines' });
    const nested = '{ users(first: 2) { edges { node { posts(first: 2) { title author { name } } } } } }';
    expect(await fetchData(nested)).toEqual({
      users: {
        edges: [{ node: { posts: [{ title: 'On Engines', author: { name } }] } }, { node: { posts: [] } }],
      },
    });
  });
});
