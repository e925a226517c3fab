import { beforeAll, expect, test } from 'vitest';
import { createUser, execute, fetchData, getErrorCode, type User } from '../../graphql/client.ts';
import { newUser } from '../../users/stored-user.ts';
import { putUsers } from './fixtures.ts';

type Connection = {
  nodes: User[];
  pageInfo: { hasNextPage: boolean; startCursor: string | null; endCursor: string | null };
  totalCount: number | null;
};

const document = `query ($first: Int, $after: String, $order: SortOrder, $search: String) {
  users(first: $first, after: $after, order: $order, search: $search) {
  edges { node { id name } }
  pageInfo { hasNextPage startCursor endCursor }
  totalCount
} }`;

async function search(text: string, page: { first?: number; after?: string | null } = {}): Promise<Connection> {
  const { users } = await fetchData<{ users: Connection & { edges: { node: User }[] } }>(document, {
    ...page,
    search: text,
  });
  return { ...users, nodes: users.edges.map(({ node }) => node) };
}

const users: User[] = [];
beforeAll(async () => {
  while (users.length < 4) users.push(await createUser());
});

test('search finds users by the beginning of a word, in pages', async () => {
  const found: User[] = [];
  const others = [newUser('Ada One'), newUser('Ada Two'), newUser('Ada Three')];
  await putUsers(others);
  for (let after: string | null = null, more = true; more; ) {
    const { nodes, pageInfo, totalCount } = await search('ADA ', { first: 1, after });
    expect(pageInfo.startCursor).toBe(pageInfo.endCursor);
    expect(totalCount).toBe(null);
    found.push(...nodes);
    ({ endCursor: after, hasNextPage: more } = pageInfo);
  }
  expect(found.map(({ id }) => id).toSorted()).toEqual(others.map(({ id }) => id).toSorted());
});

test('search accepts one Chinese character', async () => {
  const user = newUser('李 明');
  await putUsers([user]);
  expect((await search('明')).nodes.map(({ id }) => id)).toEqual([user.id]);
});

test.each([
  { search: 'a' },
  { search: 'ada \ud800' },
  { search: '\udc00ada' },
  { search: 'ada', order: 'ASC' },
  { search: 'ada', after: '' },
  { search: 'ada', after: '01890000-0000-7000-8000-000000000000' },
])('arguments %j are rejected with BAD_USER_INPUT', async (variables) => {
  expect(getErrorCode(await execute(document, variables))).toBe('BAD_USER_INPUT');
});
