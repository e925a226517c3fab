import { afterEach, expect, test, vi } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { createPost, createUser, fetchData } from './client.ts';

const requests = vi.spyOn(table, 'send');
afterEach(() => requests.mockClear());

const countRequests = () => {
  const counts: Record<string, number> = {};
  for (const [command] of requests.mock.calls)
    counts[command.constructor.name] = (counts[command.constructor.name] ?? 0) + 1;
  return counts;
};

test('5 posts of one user need one read of their author', async () => {
  const { id, name } = await createUser();
  for (let count = 0; count < 5; count++) await createPost(id);
  requests.mockClear();
  const { user } = await fetchData<{ user: { posts: unknown[] } }>(
    'query ($id: ID!) { user(id: $id) { posts { author { name } } } }',
    { id },
  );
  expect(user.posts).toEqual(Array.from({ length: 5 }, () => ({ author: { name } })));
  expect(countRequests()).toEqual({ GetCommand: 1, QueryCommand: 1 });
});

test('4 posts of different authors need one batch read, and their authors another', async () => {
  const posts: Record<string, string> = {};
  for (let count = 0; count < 4; count++) posts[`post${count}`] = (await createPost((await createUser()).id)).id;
  const variables = Object.keys(posts).map((name) => `$${name}: ID!`);
  const fields = Object.keys(posts).map((name) => `${name}: post(id: $${name}) { author { name } }`);
  requests.mockClear();
  const data = await fetchData<Record<string, unknown>>(`query (${variables}) { ${fields.join(' ')} }`, posts);
  expect(Object.values(data)).toEqual(Object.keys(posts).map(() => ({ author: { name: expect.any(String) } })));
  expect(countRequests()).toEqual({ BatchGetCommand: 2 });
});

test('listing users and their posts does not read the authors again', async () => {
  for (let count = 0; count < 5; count++) {
    const { id } = await createUser();
    for (let post = 0; post <= count; post++) await createPost(id);
  }
  requests.mockClear();
  const data = await fetchData<{ users: { edges: unknown[] } }>(
    '{ users(first: 10) { edges { node { posts { author { name } } } } } }',
  );
  expect(data.users.edges).toHaveLength(10);
  expect(countRequests()).toEqual({ QueryCommand: 1 + 10 });
});

test('a user selected under two aliases is read once', async () => {
  const { id, name } = await createUser();
  requests.mockClear();
  const data = await fetchData('query ($id: ID!) { a: user(id: $id) { name } b: user(id: $id) { name } }', { id });
  expect(data).toEqual({ a: { name }, b: { name } });
  expect(countRequests()).toEqual({ GetCommand: 1 });
});

test('every request reads the user again', async () => {
  const { id } = await createUser();
  requests.mockClear();
  for (let count = 0; count < 2; count++) await fetchData('query ($id: ID!) { user(id: $id) { name } }', { id });
  expect(countRequests()).toEqual({ GetCommand: 2 });
});
