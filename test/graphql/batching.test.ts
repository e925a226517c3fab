import { afterEach, expect, test, vi } from 'vitest';
import { table } from '../../lib/dynamodb/client.ts';
import { dataOf, newPost, newUser } from './client.ts';

const requests = vi.spyOn(table, 'send');
afterEach(() => requests.mockClear());

/** The requests to DynamoDB by their kind: `{ QueryCommand: 2 }`. */
const tally = () => {
  const counts: Record<string, number> = {};
  for (const [command] of requests.mock.calls)
    counts[command.constructor.name] = (counts[command.constructor.name] ?? 0) + 1;
  return counts;
};

test('the author of 20 posts of one user is read once', async () => {
  const { id, name } = await newUser();
  for (let count = 0; count < 20; count++) await newPost(id);
  requests.mockClear();
  const { user } = await dataOf<{ user: { posts: unknown[] } }>(
    'query ($id: ID!) { user(id: $id) { posts { author { name } } } }',
    { id },
  );
  expect(user.posts).toEqual(Array.from({ length: 20 }, () => ({ author: { name } })));
  expect(tally()).toEqual({ GetCommand: 1, QueryCommand: 1 });
});

test('posts of 10 users are read in one batch, and so are their authors', async () => {
  const posts: Record<string, string> = {};
  for (let count = 0; count < 10; count++) posts[`post${count}`] = (await newPost((await newUser()).id)).id;
  const variables = Object.keys(posts).map((name) => `$${name}: ID!`);
  const fields = Object.keys(posts).map((name) => `${name}: post(id: $${name}) { author { name } }`);
  requests.mockClear();
  const data = await dataOf<Record<string, unknown>>(`query (${variables}) { ${fields.join(' ')} }`, posts);
  expect(Object.values(data)).toEqual(Object.keys(posts).map(() => ({ author: { name: expect.any(String) } })));
  expect(tally()).toEqual({ BatchGetCommand: 2 });
});

test('the authors under a list of users take no read more, however many posts there are', async () => {
  for (let count = 0; count < 5; count++) {
    const { id } = await newUser();
    for (let post = 0; post <= count; post++) await newPost(id);
  }
  requests.mockClear();
  const data = await dataOf<{ users: { edges: unknown[] } }>(
    '{ users(first: 10) { edges { node { posts { author { name } } } } } }',
  );
  expect(data.users.edges).toHaveLength(10);
  expect(tally()).toEqual({ QueryCommand: 1 + 10 });
});

test('one user asked for under many names is read once', async () => {
  const { id, name } = await newUser();
  requests.mockClear();
  const data = await dataOf('query ($id: ID!) { a: user(id: $id) { name } b: user(id: $id) { name } }', { id });
  expect(data).toEqual({ a: { name }, b: { name } });
  expect(tally()).toEqual({ GetCommand: 1 });
});

test('nothing is remembered from one request to the next', async () => {
  const { id } = await newUser();
  requests.mockClear();
  for (let count = 0; count < 2; count++) await dataOf('query ($id: ID!) { user(id: $id) { name } }', { id });
  expect(tally()).toEqual({ GetCommand: 2 });
});
