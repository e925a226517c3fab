import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { codeOf, mutate, newPost, newUser, postsOf, readPost } from './client.ts';

const NOBODY = '01890000-0000-7000-8000-000000000000';

describe('createPost', () => {
  test('makes an unpublished post of its author', async () => {
    const { id: authorId } = await newUser();
    const { payload } = await mutate('createPost', { authorId, title: ' On Engines ' });
    const post = { id: payload?.post.id, title: 'On Engines', publishedAt: null, author: { id: authorId } };
    expect(payload?.post).toEqual(post);
    expect(await postsOf(authorId)).toEqual([post]);
    expect(await readPost(payload?.post.id ?? '')).toEqual(post);
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
    expect(await readPost(post.id)).toEqual(renamed);
  });

  test('refuse a title of nothing and of null', async () => {
    const post = await newPost((await newUser()).id);
    for (const title of ['', null])
      expect(codeOf(await mutate('updatePost', { id: post.id, title }))).toBe('BAD_USER_INPUT');
    expect(await readPost(post.id)).toEqual(post);
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
    expect(await readPost(id)).toMatchObject({ title: 'Later', publishedAt: first });
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
  expect(await readPost(post.id)).toBeNull();
  expect(await postsOf(authorId)).toEqual([kept]);
});
