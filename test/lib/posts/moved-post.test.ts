import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { deletionKey, requirePostKey, userKey } from '../../../lib/dynamodb/keys.ts';
import { environment } from '../../../lib/environment.ts';
import { purgePosts } from '../../../lib/posts/purge.ts';
import { findPost, listPosts } from '../../../lib/posts/read.ts';
import { createPost, createPosts, deletePost, updatePost } from '../../../lib/posts/write.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import type { User } from '../../../lib/users/user.ts';
import { createUser } from '../../setup/create-user.ts';

let former: User;
let next: User;
let number = 0;
beforeEach(async () => {
  number += 1;
  former = await createUser({ name: 'Former', email: `former.${number}@example.org` });
  next = await createUser({ name: 'Next', email: `next.${number}@example.org` });
});

const readItem = async (id: string) =>
  (await table.send(new GetCommand({ TableName, Key: requirePostKey(id), ConsistentRead: true }))).Item;

test('a moved post gets an id of the new author and keeps its order, times and values', async () => {
  const publishedAt = new Date('2024-01-01T00:00:00Z');
  const { id } = await createPost({ authorId: former.id, title: 'Notes', publishedAt }, 'ann');
  const later = await createPost({ authorId: next.id, title: 'Later' }, 'ann');
  const stored = await readItem(id);
  const moved = await updatePost({ id, authorId: next.id }, 'bob');
  expect(moved).toEqual({
    id: id.replace(former.id, next.id),
    ...{ authorId: next.id, title: 'Notes', publishedAt: publishedAt.toISOString(), version: 2, by: 'bob' },
  });
  expect(await listPosts(former.id, {})).toEqual([]);
  expect((await listPosts(next.id, {})).map(({ title }) => title)).toEqual(['Notes', 'Later']);
  expect(await readItem(moved.id)).toMatchObject({ createdAt: stored?.createdAt, by: 'bob' });
  expect(await findPost(id)).toBeUndefined();
  await expect(updatePost({ id, title: 'New' }, 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  // The deletion record names the caller for the former author's log.
  const { Item } = await table.send(new GetCommand({ TableName, Key: deletionKey(requirePostKey(id)) }));
  expect(Item).toMatchObject({ by: 'bob', version: 2 });
  expect(later.authorId).toBe(next.id);
});

test('a moved post gets the current time in place of a damaged creation time', async () => {
  const { id } = await createPost({ authorId: former.id, title: 'Notes' }, 'ann');
  await putItems([{ ...(await readItem(id)), createdAt: '2026-11-31T00:00:00.000Z' }]);
  const { now } = environment;
  environment.now = () => Date.parse('2026-01-31T12:00:00Z');
  onTestFinished(() => {
    environment.now = now;
  });
  const moved = await updatePost({ id, authorId: next.id }, 'bob');
  expect(await readItem(moved.id)).toMatchObject({ createdAt: '2026-01-31T12:00:00.000Z' });
});

test('a repeated move returns the moved post, and writes only a new title', async () => {
  const { id } = await createPost({ authorId: former.id, title: 'Notes' }, 'ann');
  const move = { id, authorId: next.id, title: 'Moved' };
  const moved = await updatePost(move, 'bob');
  expect(moved).toMatchObject({ title: 'Moved', version: 2 });
  expect(await updatePost(move, 'eve')).toEqual(moved);
  expect(await updatePost({ ...move, title: 'Renamed' }, 'eve')).toMatchObject({ id: moved.id, version: 3, by: 'eve' });
  await deletePost({ id: moved.id }, 'bob');
  await expect(updatePost(move, 'bob')).rejects.toMatchObject({ code: 'NOT_FOUND', message: 'Post not found' });
});

test('moving a post to its own author updates it, and moving it back restores its id', async () => {
  const { id } = await createPost({ authorId: former.id, title: 'Notes' }, 'ann');
  expect(await updatePost({ id, authorId: former.id, title: 'Same' }, 'ann')).toMatchObject({ id, version: 2 });
  const { id: movedId } = await updatePost({ id, authorId: next.id }, 'ann');
  expect(await updatePost({ id: movedId, authorId: former.id }, 'ann')).toMatchObject({
    id,
    version: 4,
    title: 'Same',
  });
  expect(await findPost(movedId)).toBeUndefined();
});

test('a move returns NOT_FOUND unless both users exist', async () => {
  const { id } = await createPost({ authorId: former.id, title: 'Notes' }, 'ann');
  for (const authorId of ['nobody', former.id.replace(/.{12}$/, '000000000000')])
    await expect(updatePost({ id, authorId }, 'ann')).rejects.toMatchObject({ message: 'User not found' });
  expect(await findPost(id)).toMatchObject({ version: 1 });
  await deleteUser({ id: former.id }, 'ann');
  await expect(updatePost({ id, authorId: next.id }, 'ann')).rejects.toMatchObject({ message: 'Post not found' });
  expect(await listPosts(next.id, {})).toEqual([]);
});

test('an import that restores the former post keeps both posts', async () => {
  const { id } = await createPost({ authorId: former.id, title: 'Notes' }, 'ann');
  const item = await readItem(id);
  const { id: movedId } = await updatePost({ id, authorId: next.id, title: 'Moved' }, 'ann');
  const times = { createdAt: String(item?.createdAt), updatedAt: String(item?.updatedAt) };
  await createPosts(former.id, [
    { id, authorId: former.id, title: 'Notes', publishedAt: null, version: 1, by: 'ann', ...times },
  ]);
  await expect(updatePost({ id, authorId: next.id }, 'ann')).rejects.toMatchObject({ code: 'BAD_USER_INPUT' });
  expect([await findPost(id), await findPost(movedId)]).toMatchObject([{ title: 'Notes' }, { title: 'Moved' }]);
});

test('one of several concurrent moves succeeds, and the post exists once', async () => {
  const others = await Promise.all(
    [1, 2, 3].map((each) => createUser({ name: 'Other', email: `other.${number}.${each}@example.org` })),
  );
  const { id } = await createPost({ authorId: former.id, title: 'Notes' }, 'ann');
  const results = await Promise.allSettled(others.map((other) => updatePost({ id, authorId: other.id }, 'ann')));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const posts = await Promise.all([former, ...others].map((user) => listPosts(user.id, {})));
  expect(posts.flat()).toHaveLength(1);
});

test.each(['former', 'next'])(
  'a move races with the deletion of the %s author: no post is left without a user',
  async (which) => {
    const { id } = await createPost({ authorId: former.id, title: 'Notes' }, 'ann');
    const deleted = which === 'former' ? former : next;
    const [move] = await Promise.allSettled([
      updatePost({ id, authorId: next.id }, 'ann'),
      deleteUser({ id: deleted.id }, 'ann'),
    ]);
    await purgePosts({ authorId: deleted.id, part: 0 });
    expect(await listPosts(deleted.id, {})).toEqual([]);
    const other = which === 'former' ? next : former;
    const { Item } = await table.send(new GetCommand({ TableName, Key: userKey(other.id) }));
    expect(Item).toBeDefined();
    const isMoved = move.status === 'fulfilled';
    expect(await listPosts(other.id, {})).toHaveLength(isMoved === (which === 'former') ? 1 : 0);
  },
);
