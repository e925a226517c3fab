import { beforeAll, describe, expect, test } from 'vitest';
import { newUser, putEntries } from '../features/search/fixtures.ts';
import { createUser, execute, fetchData, getErrorCode, mutate, type User } from './client.ts';

type Connection = {
  edges: { cursor: string; node: User }[];
  pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  totalCount: number;
};

const document = `query ($first: Int, $after: String, $order: SortOrder, $search: String) {
  users(first: $first, after: $after, order: $order, search: $search) {
  edges { cursor node { id name email version } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  totalCount
} }`;
const read = async (
  variables: { first?: number; after?: string | null; order?: string | null; search?: string } = {},
) => (await fetchData<{ users: Connection }>(document, variables)).users;

const nodes = ({ edges }: Connection) => edges.map(({ node }) => node);

test('the connection has no edges and null cursors if there are no users', async () => {
  expect(await read()).toEqual({
    edges: [],
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
    expect(nodes(page)).toEqual(users.slice(0, 20));
    expect(page).toMatchObject({ pageInfo: { hasNextPage: true, hasPreviousPage: false }, totalCount: 25 });
  });

  test.each([
    [1, 'DESC'],
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
      found.push(...nodes(page));
      after = pageInfo.endCursor;
    } while (page.pageInfo.hasNextPage);
    expect(found).toEqual(order === 'DESC' ? users.toReversed() : users);
  });

  test('after the cursor of any edge, the page starts with the next user', async () => {
    const { edges } = await read({ first: 10 });
    expect(nodes(await read({ first: 2, after: edges[3]?.cursor ?? '' }))).toEqual(users.slice(4, 6));
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
    expect(nodes(await read({ after }))).toEqual([next]);
    await mutate('deleteUser', { id: next.id });
    expect((await read()).totalCount).toBe(25);
  });

  test('search finds users by the beginning of a word, in pages', async () => {
    const found: User[] = [];
    for (const user of users.slice(0, 3))
      await putEntries([{ ...newUser(`Ada ${user.name}`, user.email), id: user.id }]);
    for (let after: string | null = null, more = true; more; ) {
      const page = await read({ first: 1, after, search: 'ADA ' });
      expect(page.pageInfo).toMatchObject({ startCursor: page.edges[0]?.cursor, endCursor: page.edges[0]?.cursor });
      expect(page.totalCount).toBe(25);
      found.push(...nodes(page));
      ({ endCursor: after, hasNextPage: more } = page.pageInfo);
    }
    expect(found.map(({ id }) => id).toSorted()).toEqual(users.slice(0, 3).map(({ id }) => id));
  });

  test('search takes one Chinese character', async () => {
    const [user = { id: '', name: '', email: '' }] = users;
    await putEntries([{ ...newUser('李 明', user.email), id: user.id }]);
    expect(nodes(await read({ search: '明' })).map(({ id }) => id)).toEqual([user.id]);
  });

  test.each([
    { first: 0 },
    { first: -1 },
    { first: 101 },
    { after: '' },
    { after: 'ada' },
    { search: 'a' },
    { search: 'ada', order: 'ASC' },
    { search: 'ada', after: '' },
    { search: 'ada', after: '01890000-0000-7000-8000-000000000000' },
  ])('arguments %j are rejected with BAD_USER_INPUT', async (variables) => {
    expect(getErrorCode(await execute(document, variables))).toBe('BAD_USER_INPUT');
  });

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
