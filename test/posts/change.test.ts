import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { newPostKey, postIdOf } from '../../lib/dynamodb/keys.ts';
import { TableName, table } from '../../lib/dynamodb/table.ts';
import { deletePost, publishPost, updatePost } from '../../lib/posts/change.ts';
import { findPost } from '../../lib/posts/get.ts';
import { createUser } from '../../lib/users/create.ts';
import { deleteUser } from '../../lib/users/delete.ts';

test('a post that its deleted author has left in the table for a moment can no longer be changed', async () => {
  const author = await createUser({ name: 'Ada', email: 'ada@example.org' });
  const key = newPostKey(author.id, '01a1fc2b-6afb-746d-b0f3-2c7678fa44ac');
  await table.send(new PutCommand({ TableName, Item: { ...key, title: 'Left over' } }));
  await deleteUser({ id: author.id });
  const id = postIdOf(key);
  for (const change of [() => updatePost({ id, title: 'New' }), () => publishPost({ id }), () => deletePost({ id })])
    await expect(change()).rejects.toMatchObject({ kind: 'not-found' });
  expect(await findPost(id)).toMatchObject({ title: 'Left over', publishedAt: null });
});
