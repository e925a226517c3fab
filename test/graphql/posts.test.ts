import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { doors } from '../rest/doors.ts';
import { codeOf, dataOf, execute, mutate, newPost, newUser, type Post } from './client.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';

type Posts = { user: { posts: Post[] } };
const postsOf = async (id: string, args = '') =>
  (
    await dataOf<Posts>(`query ($id: ID!) { user(id: $id) { posts${args} { id title publishedAt author { id } } } }`, {
      id,
    })
  ).user.posts;
const read = async (id: string) =>
  (
    await dataOf<{ post: Post | null }>('query ($id: ID!) { post(id: $id) { id title publishedAt author { id } } }', {
      id,
    })
  ).post;

describe('createPost', () => {
  test('makes an unpublished post of its author', async () => {
    const { id: authorId } = await newUser();
    const { payload } = await mutate('createPost', { authorId, title: ' On Engines ' });
    const post = { id: payload?.post.id, title: 'On Engines', publishedAt: null, author: { id: authorId } };
    expect(payload?.post).toEqual(post);
    expect(await postsOf(authorId)).toEqual([post]);
    expect(await read(payload?.post.id ?? '')).toEqual(post);
  });

  test('takes the time of its publication in any zone, and shows it in UTC', async () => {
    const { id: authorId } = await newUser();
    const publishedAt = '2024-02-29T01:30:00+02:00';
    const { payload } = await mutate('createPost', { authorId, title: 'Leap', publishedAt });
    expect(payload?.post.publishedAt).toBe('2024-02-28T23:30:00.000Z');
    expect(codeOf(await mutate('createPost', { authorId, title: 'No', publishedAt: 'yesterday' }))).toBe(
      'BAD_USER_INPUT',
    );
  });

  test('is NOT_FOUND for an author who is none, or is none any more', async () => {
    const { id } = await newUser();
    await mutate('deleteUser', { id });
    for (const authorId of [id, NOBODY, 'ada'])
      expect(codeOf(await mutate('createPost', { authorId, title: 'Orphan' }))).toBe('NOT_FOUND');
  });

  test.each(['', '  ', 't'.repeat(257), 'a\nb'])('is BAD_USER_INPUT for a wrong title', async (title) => {
    const { id: authorId } = await newUser();
    expect(codeOf(await mutate('createPost', { authorId, title }))).toBe('BAD_USER_INPUT');
    expect(await postsOf(authorId)).toEqual([]);
  });

  test('makes one post however often it is repeated under its idempotencyKey', async () => {
    const { id: authorId } = await newUser();
    const input = { authorId, title: 'Once', idempotencyKey: randomUUID() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => mutate('createPost', input)));
    expect(new Set(answers.map(({ payload }) => payload?.post.id)).size).toBe(1);
    expect(await postsOf(authorId)).toHaveLength(1);
    expect(codeOf(await mutate('createPost', { ...input, title: 'Twice' }))).toBe('BAD_USER_INPUT');
    expect(codeOf(await mutate('createPost', { ...input, idempotencyKey: 'a b' }))).toBe('BAD_USER_INPUT');
  });
});

describe('updatePost and publishPost', () => {
  test('change the title, and nothing where none is sent', async () => {
    const { id: authorId } = await newUser();
    const post = await newPost(authorId);
    const renamed = { ...post, title: 'Renamed' };
    expect((await mutate('updatePost', { id: post.id, title: 'Renamed' })).payload?.post).toEqual(renamed);
    expect((await mutate('updatePost', { id: post.id })).payload?.post).toEqual(renamed);
    expect(await read(post.id)).toEqual(renamed);
  });

  test('refuse a title of nothing and of null', async () => {
    const post = await newPost((await newUser()).id);
    for (const title of ['', null])
      expect(codeOf(await mutate('updatePost', { id: post.id, title }))).toBe('BAD_USER_INPUT');
    expect(await read(post.id)).toEqual(post);
  });

  test('publish at the given time, and leave a published post as it is', async () => {
    const { id } = await newPost((await newUser()).id);
    const publish = async (publishedAt?: string) =>
      (await mutate('publishPost', { id, ...(publishedAt ? { publishedAt } : {}) })).payload?.post.publishedAt;
    const first = '2024-01-01T00:00:00.000Z';
    expect([await publish(first), await publish('2025-01-01T00:00:00Z'), await publish()]).toEqual([
      first,
      first,
      first,
    ]);
    await mutate('updatePost', { id, title: 'Later' });
    expect(await read(id)).toMatchObject({ title: 'Later', publishedAt: first });
  });

  test('publish now where no time is given', async () => {
    const { id } = await newPost((await newUser()).id);
    const before = new Date().toISOString();
    const { payload } = await mutate('publishPost', { id });
    const { publishedAt } = payload?.post ?? {};
    expect([before, publishedAt, new Date().toISOString()].toSorted()[1]).toBe(publishedAt);
  });
});

describe.each([
  ['updatePost', { title: 'No' }],
  ['publishPost', {}],
  ['deletePost', {}],
])('%s', (mutation, fields) => {
  test('is NOT_FOUND for an id of no post, whatever its form, and makes none', async () => {
    const author = await newUser();
    const { id } = await newPost(author.id);
    await mutate('deletePost', { id });
    for (const none of [id, `${id}x`, author.id, 'ada', ''])
      expect(codeOf(await mutate(mutation, { id: none, ...fields }))).toBe('NOT_FOUND');
    expect(await postsOf(author.id)).toEqual([]);
  });
});

test('deletePost deletes that post, and gives its id', async () => {
  const { id: authorId } = await newUser();
  const [post, kept] = [await newPost(authorId), await newPost(authorId)];
  expect((await mutate<{ id: string }>('deletePost', { id: post.id })).payload).toEqual({ id: post.id });
  expect(await read(post.id)).toBeNull();
  expect(await postsOf(authorId)).toEqual([kept]);
});

describe('posts of a user', () => {
  test('are none at first, and then all of them, oldest first', async () => {
    const { id } = await newUser();
    expect(await postsOf(id)).toEqual([]);
    const posts: Post[] = [];
    for (let count = 0; count < 30; count++) posts.push(await newPost(id, `Post ${count}`));
    expect(await postsOf(id)).toEqual(posts);
  });

  test.each([1, 2, 5, 6])('are paged by %i with first and after, each exactly once', async (first) => {
    const { id } = await newUser();
    const posts = [];
    for (let count = 0; count < 5; count++) posts.push(await newPost(id, `Post ${count}`));
    const pages: Post[][] = [await postsOf(id, `(first: ${first})`)];
    while (pages.at(-1)?.length === first)
      pages.push(await postsOf(id, `(first: ${first}, after: "${pages.at(-1)?.at(-1)?.id}")`));
    expect(pages.flat()).toEqual(posts);
  });

  test('go on behind a post that has been deleted since', async () => {
    const { id } = await newUser();
    const [gone, next] = [await newPost(id), await newPost(id)];
    await mutate('deletePost', { id: gone.id });
    expect(await postsOf(id, `(first: 5, after: "${gone.id}")`)).toEqual([next]);
  });

  test('are BAD_USER_INPUT for a first below 1, and behind what is no post of the user', async () => {
    const [{ id }, other] = [await newUser(), await newUser()];
    const foreign = await newPost(other.id);
    for (const args of ['(first: 0)', '(first: -1)', '(after: "ada")', `(after: "${foreign.id}")`, '(after: "")']) {
      const answer = await execute(`query ($id: ID!) { user(id: $id) { posts${args} { id } } }`, { id });
      expect([args, codeOf(answer)]).toEqual([args, 'BAD_USER_INPUT']);
    }
  });

  test('do not show in REST, whose user is exactly id, name and email', async () => {
    const { version: _, ...user } = await newUser();
    await newPost(user.id);
    for (const door of doors) expect(await door.read(user.id)).toEqual(user);
  });

  test('cannot be reached any more when the user is deleted', async () => {
    const { id } = await newUser();
    const post = await newPost(id);
    await mutate('deleteUser', { id });
    expect(await read(post.id)).toBeNull();
  });
});
