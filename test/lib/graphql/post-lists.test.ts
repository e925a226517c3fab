import { describe, expect, test } from 'vitest';
import { createPost, createUser, execute, fetchData, getErrorCode, listPosts, mutate, type Post } from './client.ts';

describe('posts of a user', () => {
  test('without first, all posts are returned, oldest first', async () => {
    const { id } = await createUser();
    expect(await listPosts(id)).toEqual([]);
    const posts: Post[] = [];
    for (let count = 0; count < 21; count++) posts.push(await createPost(id, `Post ${count}`));
    expect(await listPosts(id)).toEqual(posts);
  });

  test.each([2, 5])('paging with first: %i and after returns every post exactly once', async (first) => {
    const { id } = await createUser();
    const posts = [];
    for (let count = 0; count < 5; count++) posts.push(await createPost(id, `Post ${count}`));
    const pages: Post[][] = [await listPosts(id, `(first: ${first})`)];
    while (pages.at(-1)?.length === first)
      pages.push(await listPosts(id, `(first: ${first}, after: "${pages.at(-1)?.at(-1)?.id}")`));
    expect(pages.flat()).toEqual(posts);
  });

  test('one request lists different pages of a user, and the posts of another', async () => {
    const [{ id }, other] = [await createUser(), await createUser()];
    const postOfOther = await createPost(other.id);
    const [first, second, third] = [await createPost(id), await createPost(id), await createPost(id)];
    const document = `query ($id: ID!, $other: ID!, $after: ID) { other: user(id: $other) { posts(first: 1) { id } } user(id: $id) {
      start: posts(first: 1) { id } two: posts(first: 2) { id } next: posts(first: 1, after: "${first.id}") { id }
      last: posts(first: 1, after: "${second.id}") { id } all: posts { id } rest: posts(after: $after) { id } } }`;
    const ids = (...posts: Post[]) => posts.map(({ id }) => ({ id }));
    expect(await fetchData(document, { id, other: other.id, after: first.id })).toEqual({
      other: { posts: ids(postOfOther) },
      user: {
        ...{ start: ids(first), two: ids(first, second), next: ids(second) },
        ...{ last: ids(third), all: ids(first, second, third), rest: ids(second, third) },
      },
    });
  });

  test('the id of a deleted post stays valid as after', async () => {
    const { id } = await createUser();
    const [deleted, next] = [await createPost(id), await createPost(id)];
    await mutate('deletePost', { id: deleted.id });
    expect(await listPosts(id, `(first: 5, after: "${deleted.id}")`)).toEqual([next]);
  });

  test('first below 1, or after with an id that is not a post of the user, is BAD_USER_INPUT', async () => {
    const [{ id }, other] = [await createUser(), await createUser()];
    const postOfOther = await createPost(other.id);
    for (const args of ['(first: 0)', '(first: -1)', '(after: "ada")', `(after: "${postOfOther.id}")`, '(after: "")']) {
      const response = await execute(`query ($id: ID!) { user(id: $id) { posts${args} { id } } }`, { id });
      expect([args, getErrorCode(response)]).toEqual([args, 'BAD_USER_INPUT']);
    }
  });
});

describe('the connection of the posts of a user', () => {
  type Connection = {
    edges: { cursor: string; node: Post }[];
    nodes: Post[];
    pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
  };

  const SELECTION = `edges { cursor node { id title publishedAt } } nodes { id title publishedAt }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }`;

  async function listConnection(id: string, args = ''): Promise<Connection> {
    const document = `query ($id: ID!) { user(id: $id) { postsConnection${args} { ${SELECTION} } } }`;
    const { user } = await fetchData<{ user: { postsConnection: Connection } }>(document, { id });
    return user.postsConnection;
  }

  test('is empty for a user without posts', async () => {
    const { id } = await createUser();
    expect(await listConnection(id)).toEqual({
      edges: [],
      nodes: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    });
  });

  test('pages contain every post once, with hasNextPage and hasPreviousPage', async () => {
    const { id } = await createUser();
    const posts: Post[] = [];
    for (let count = 0; count < 5; count++) posts.push(await createPost(id, `Post ${count}`));
    const first = await listConnection(id, '(first: 2)');
    const second = await listConnection(id, `(first: 2, after: "${first.pageInfo.endCursor}")`);
    const third = await listConnection(id, `(first: 2, after: "${second.pageInfo.endCursor}")`);
    expect([...first.nodes, ...second.nodes, ...third.nodes].map(({ id }) => id)).toEqual(posts.map(({ id }) => id));
    expect([first, second, third].map(({ pageInfo }) => [pageInfo.hasPreviousPage, pageInfo.hasNextPage])).toEqual([
      [false, true],
      [true, true],
      [true, false],
    ]);
    expect(first.edges).toEqual(first.nodes.map((node) => ({ cursor: node.id, node })));
    expect((await listConnection(id, '(first: 5)')).pageInfo.hasNextPage).toBe(false);
  });

  test.each(['(first: 0)', '(first: 101)', '(first: 99999)', '(after: "ada")'])(
    '%s is BAD_USER_INPUT, also of posts',
    async (args) => {
      const { id } = await createUser();
      for (const list of [`postsConnection${args} { nodes { id } }`, `posts${args} { id }`]) {
        const response = await execute(`query ($id: ID!) { user(id: $id) { ${list} } }`, { id });
        expect(getErrorCode(response)).toBe('BAD_USER_INPUT');
      }
    },
  );
});
