import { beforeAll, describe, expect, test } from 'vitest';
import { codeOf, dataOf, execute, mutate, newUser, type User } from './client.ts';

type Connection = {
  edges: { cursor: string; node: User }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  totalCount: number;
};

const document = `query ($first: Int, $after: String) { users(first: $first, after: $after) {
  edges { cursor node { id name email version } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  totalCount
} }`;
const read = async (variables: { first?: number; after?: string | null } = {}) =>
  (await dataOf<{ users: Connection }>(document, variables)).users;

const nodes = ({ edges }: Connection) => edges.map(({ node }) => node);

test('of no users is empty, with no cursors', async () => {
  expect(await read()).toEqual({
    edges: [],
    pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    totalCount: 0,
  });
});

describe('users', () => {
  const users: User[] = [];
  beforeAll(async () => {
    while (users.length < 25) users.push(await newUser());
  });

  test('are the 20 oldest where first is not given', async () => {
    const page = await read();
    expect(nodes(page)).toEqual(users.slice(0, 20));
    expect(page).toMatchObject({ pageInfo: { hasNextPage: true, hasPreviousPage: false }, totalCount: 25 });
  });

  test.each([1, 7, 25, 100])('are walked to the end by pages of %i, each exactly once', async (first) => {
    const walked: User[] = [];
    let [page, after]: [Connection | undefined, string | null] = [undefined, null];
    do {
      page = await read({ first, after });
      const { pageInfo, edges } = page;
      expect(pageInfo).toMatchObject({
        startCursor: edges[0]?.cursor,
        endCursor: edges.at(-1)?.cursor,
        hasPreviousPage: after !== null,
      });
      expect(page.totalCount).toBe(25);
      walked.push(...nodes(page));
      after = pageInfo.endCursor;
    } while (page.pageInfo.hasNextPage);
    expect(walked).toEqual(users);
  });

  test('go on behind any edge', async () => {
    const { edges } = await read({ first: 10 });
    expect(nodes(await read({ first: 2, after: edges[3]?.cursor ?? '' }))).toEqual(users.slice(4, 6));
  });

  test('are none behind the last', async () => {
    const { pageInfo } = await read({ first: 100 });
    const end = await read({ after: pageInfo.endCursor });
    expect(end).toMatchObject({ edges: [], pageInfo: { hasNextPage: false, endCursor: null }, totalCount: 25 });
  });

  test('go on behind a user who has been deleted since', async () => {
    const [gone, next] = [await newUser(), await newUser()];
    const { endCursor: after } = (await read({ first: 26 })).pageInfo;
    expect((await mutate('deleteUser', { id: gone.id })).errors).toBeUndefined();
    expect(nodes(await read({ after }))).toEqual([next]);
    await mutate('deleteUser', { id: next.id });
    expect((await read()).totalCount).toBe(25);
  });

  test.each([{ first: 0 }, { first: -1 }, { first: 101 }, { after: '' }, { after: 'ada' }])(
    'are BAD_USER_INPUT for %j',
    async (variables) => {
      expect(codeOf(await execute(document, variables))).toBe('BAD_USER_INPUT');
    },
  );

  test('are paged with their posts and the authors of these', async () => {
    const [{ id, name } = { id: '', name: '' }] = users;
    await mutate('createPost', { authorId: id, title: 'On Engines' });
    const nested = '{ users(first: 2) { edges { node { posts(first: 2) { title author { name } } } } } }';
    expect(await dataOf(nested)).toEqual({
      users: {
        edges: [{ node: { posts: [{ title: 'On Engines', author: { name } }] } }, { node: { posts: [] } }],
      },
    });
  });
});
