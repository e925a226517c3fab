import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { listPosts } from '../../../lib/posts/read.ts';
import { createPost } from '../../../lib/posts/write.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { createUser } from '../../setup/create-user.ts';

const create = (authorId: string) => createPost({ authorId, title: 'On Engines' }, 'ada');

test('creating a post for an unknown author fails and stores nothing', async () => {
  const unknownId = uuidv7();
  await expect(create(unknownId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await listPosts(unknownId, {})).toEqual([]);
});

test('no post is created after the concurrent deletion of its author', async () => {
  const { id } = await createUser({ name: 'Ada', email: 'ada@example.org' });
  const attempts = await Promise.allSettled([
    ...Array.from({ length: 5 }, () => create(id)),
    deleteUser({ id }, 'test'),
  ]);
  const created = attempts.slice(0, 5).filter(({ status }) => status === 'fulfilled');
  expect(attempts[5]).toMatchObject({ status: 'fulfilled' });
  expect(await listPosts(id, {})).toHaveLength(created.length);
  await expect(create(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
