import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { formatPostId, newPostKey } from '../../../lib/dynamodb/keys.ts';
import { findPost } from '../../../lib/posts/read.ts';
import { deletePost, publishPost, updatePost } from '../../../lib/posts/write.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { createUser } from '../../setup/create-user.ts';

test('a post of a deleted author cannot be changed while it waits for its own deletion', async () => {
  const author = await createUser({ name: 'Ada', email: 'ada@example.org' });
  const key = newPostKey(author.id, '01a1fc2b-6afb-746d-b0f3-2c7678fa44ac');
  await table.send(new PutCommand({ TableName, Item: { ...key, title: 'Left over', version: 1 } }));
  await deleteUser({ id: author.id }, 'test');
  const id = formatPostId(key);
  for (const change of [
    () => updatePost({ id, title: 'New' }, 'test'),
    () => publishPost({ id }, 'test'),
    () => deletePost({ id }, 'test'),
  ])
    await expect(change()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  expect(await findPost(id)).toMatchObject({ title: 'Left over', publishedAt: null });
});
