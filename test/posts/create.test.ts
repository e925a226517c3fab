import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { createPost } from '../../lib/posts/create.ts';
import { listPosts } from '../../lib/posts/list.ts';
import { createUser } from '../../lib/users/create.ts';
import { deleteUser } from '../../lib/users/delete.ts';

const create = (authorId: string) => createPost({ authorId, title: 'On Engines' }, 'ada');

test('no post is left in the table of an author who is none', async () => {
  const nobody = uuidv7();
  await expect(create(nobody)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await listPosts(nobody, {})).toEqual([]);
});

test('posts that are created while their author is deleted are made before that, or not at all', async () => {
  const { id } = await createUser({ name: 'Ada', email: 'ada@example.org' });
  const attempts = await Promise.allSettled([...Array.from({ length: 5 }, () => create(id)), deleteUser({ id })]);
  const made = attempts.slice(0, 5).filter(({ status }) => status === 'fulfilled');
  expect(attempts[5]).toMatchObject({ status: 'fulfilled' });
  expect(await listPosts(id, {})).toHaveLength(made.length);
  await expect(create(id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
