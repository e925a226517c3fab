import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, test, vi } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { formatPostId, newPostKey } from '../../../lib/dynamodb/keys.ts';
import { findPost } from '../../../lib/posts/read.ts';
import { clients } from '../rest/client.ts';
import { createPost, createUser, execute, fetchData, getErrorCode, listPosts, mutate, readPost } from './client.ts';

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

/** Converted to UTC, these times have the years 10000, 0 and 0. */
const OTHER_YEARS = ['9999-12-31T23:59:59-01:00', '0001-01-01T00:00:00+05:00', '0000-06-01T00:00:00Z'];

describe('createPost', () => {
  test('accepts publishedAt in any time zone and returns it in UTC', async () => {
    const { id: authorId } = await createUser();
    const publishedAt = '2024-02-29T01:30:00+02:00';
    const { payload } = await mutate('createPost', { authorId, title: 'Leap', publishedAt });
    expect(payload?.post.publishedAt).toBe('2024-02-28T23:30:00.000Z');
    expect(getErrorCode(await mutate('createPost', { authorId, title: 'No', publishedAt: 'yesterday' }))).toBe(
      'BAD_USER_INPUT',
    );
  });

  test.each(['"2024-01-01"', '"2024-01-01T00:00:00"', '"2024-02-30T00:00:00Z"', '1700000000'])(
    'names the expected time for %s',
    async (time) => {
      const message =
        'DateTime must be a time with Z or an offset, such as 2026-01-31T12:00:00Z, in the years 0001 to 9999 in UTC';
      const literal = await execute(
        `mutation { publishPost(input: { id: "x", publishedAt: ${time} }) { post { id } } }`,
      );
      expect(literal.errors).toMatchObject([{ message, locations: [{ line: 1 }] }]);
      const variable = await mutate('publishPost', { id: 'x', publishedAt: JSON.parse(time) });
      expect(variable.errors).toMatchObject([{ message: expect.stringContaining(message) }]);
    },
  );

  test.each(OTHER_YEARS)('and publishPost reject %s, whose year in UTC is not 0001 to 9999', async (publishedAt) => {
    const { id: authorId } = await createUser();
    expect(getErrorCode(await mutate('createPost', { authorId, title: 'No', publishedAt }))).toBe('BAD_USER_INPUT');
    expect(await listPosts(authorId)).toEqual([]);
    const post = await createPost(authorId);
    expect(getErrorCode(await mutate('publishPost', { id: post.id, publishedAt }))).toBe('BAD_USER_INPUT');
    expect(await readPost(post.id)).toEqual(post);
  });

  test('and all other operations accept ids in upper case', async () => {
    const { id: authorId } = await createUser();
    const { payload } = await mutate('createPost', { authorId: authorId.toUpperCase(), title: 'One' });
    const id = payload?.post.id ?? '';
    const upper = id.toUpperCase();
    expect(id).toContain(authorId);
    expect(await readPost(upper)).toMatchObject({ id, author: { id: authorId } });
    expect(await fetchData(`{ user(id: "${authorId}") { posts(after: "${upper}") { id } } }`)).toEqual({
      user: { posts: [] },
    });
    for (const mutation of ['updatePost', 'publishPost'])
      expect((await mutate(mutation, { id: upper })).payload?.post).toMatchObject({ id });
    expect((await mutate('deletePost', { id: upper })).payload).toEqual({ id });
  });

  test('returns NOT_FOUND for an unknown or deleted author', async () => {
    const { id } = await createUser();
    await mutate('deleteUser', { id });
    for (const authorId of [id, UNKNOWN_ID, 'ada'])
      expect(getErrorCode(await mutate('createPost', { authorId, title: 'Orphan' }))).toBe('NOT_FOUND');
  });

  test.each(['', '  ', 't'.repeat(257), 'a\nb'])('returns BAD_USER_INPUT for the title %j', async (title) => {
    const { id: authorId } = await createUser();
    expect(getErrorCode(await mutate('createPost', { authorId, title }))).toBe('BAD_USER_INPUT');
    expect(await listPosts(authorId)).toEqual([]);
  });

  test('creates one post if it is repeated with the same idempotencyKey', async () => {
    const { id: authorId } = await createUser();
    const input = { authorId, title: 'Once', idempotencyKey: randomUUID() };
    const responses = await Promise.all(Array.from({ length: 10 }, () => mutate('createPost', input)));
    expect(new Set(responses.map(({ payload }) => payload?.post.id)).size).toBe(1);
    expect(await listPosts(authorId)).toHaveLength(1);
    expect(getErrorCode(await mutate('createPost', { ...input, title: 'Twice' }))).toBe('BAD_USER_INPUT');
    expect(getErrorCode(await mutate('createPost', { ...input, idempotencyKey: 'a b' }))).toBe('BAD_USER_INPUT');
  });
});

describe('updatePost and publishPost', () => {
  test('change the title, or nothing if no title or an equal one is sent', async () => {
    const { id: authorId } = await createUser();
    const post = await createPost(authorId);
    const renamed = { ...post, title: 'Renamed' };
    expect((await mutate('updatePost', { id: post.id, title: 'Renamed' })).payload?.post).toEqual(renamed);
    const stored = await findPost(post.id);
    expect(stored).toMatchObject({ version: 2 });
    for (const title of [undefined, 'Renamed', ' Renamed '])
      expect((await mutate('updatePost', { id: post.id, title })).payload?.post).toEqual(renamed);
    expect(await findPost(post.id)).toEqual(stored);
  });

  test('return BAD_USER_INPUT for an empty title and for null', async () => {
    const post = await createPost((await createUser()).id);
    for (const title of ['', null])
      expect(getErrorCode(await mutate('updatePost', { id: post.id, title }))).toBe('BAD_USER_INPUT');
    expect(await readPost(post.id)).toEqual(post);
  });

  test('set publishedAt to the given time, and do not change a published post', async () => {
    const { id } = await createPost((await createUser()).id);
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

  test('change the time of a scheduled post, or publish it early', async () => {
    const { id } = await createPost((await createUser()).id);
    const publish = async (publishedAt?: string) =>
      (await mutate('publishPost', { id, ...(publishedAt ? { publishedAt } : {}) })).payload?.post.publishedAt;
    const [later, earlier] = ['2125-06-01T00:00:00.000Z', '2125-01-01T00:00:00.000Z'];
    expect([await publish(later), await publish(earlier)]).toEqual([later, earlier]);
    const { version } = (await findPost(id)) ?? {};
    await publish(earlier);
    expect(await findPost(id)).toMatchObject({ publishedAt: earlier, version });
    const now = await publish();
    expect(Math.abs(Date.now() - Date.parse(String(now)))).toBeLessThan(60_000);
    expect(await publish(later)).toBe(now);
  });

  test('set publishedAt to the current time if none is given', async () => {
    const { id } = await createPost((await createUser()).id);
    const before = new Date().toISOString();
    const { payload } = await mutate('publishPost', { id });
    const { publishedAt } = payload?.post ?? {};
    expect([before, publishedAt, new Date().toISOString()].toSorted()[1]).toBe(publishedAt);
  });
});

test.each(['+010000-01-01T00:59:59.000Z', '0000-12-31T23:00:00.000Z', '2026-02-30T00:00:00.000Z', 'yesterday', 5])(
  'a post with the stored publishedAt %j is shown as unpublished, beside others, and can be published; it is logged once',
  async (publishedAt) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { id: authorId } = await createUser();
    const key = newPostKey(authorId, uuidv7());
    await putItems([{ ...key, title: 'Damaged', publishedAt, version: 1 }]);
    const [damaged, other] = [formatPostId(key), await createPost(authorId)];
    for (let time = 0; time < 2; time++)
      expect(await listPosts(authorId)).toMatchObject([{ id: damaged, publishedAt: null }, other]);
    expect(warn.mock.calls).toEqual([[{ event: 'unreadable publishedAt', postId: damaged }]]);
    await mutate('publishPost', { id: damaged, publishedAt: '2026-01-01T00:00:00Z' });
    expect(await readPost(damaged)).toMatchObject({ publishedAt: '2026-01-01T00:00:00.000Z' });
  },
);

describe.each([
  ['updatePost', { title: 'No' }],
  ['publishPost', {}],
  ['deletePost', {}],
])('%s', (mutation, fields) => {
  test('returns NOT_FOUND for an unknown or malformed id, and creates no post', async () => {
    const author = await createUser();
    const { id } = await createPost(author.id);
    await mutate('deletePost', { id });
    for (const unknown of [id, `${id}x`, author.id, 'ada', ''])
      expect(getErrorCode(await mutate(mutation, { id: unknown, ...fields }))).toBe('NOT_FOUND');
    expect(await listPosts(author.id)).toEqual([]);
  });
});

test('posts do not appear in REST', async () => {
  const { version: _, ...user } = await createUser();
  await createPost(user.id);
  for (const client of clients) expect(await client.read(user.id)).toEqual(user);
});
