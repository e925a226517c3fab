import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import { notFound } from '../errors.ts';
import { type Key, postKey, userIdOf } from '../dynamodb/keys.ts';
import { TableName, table, update } from '../dynamodb/table.ts';
import { findUser } from '../users/get.ts';
import { findPost } from './get.ts';
import { type deletePostInput, type Post, parsePost, type publishPostInput, type updatePostInput } from './schema.ts';

/** Each throws `not-found` for an id that names no post, whatever its form, and for a post whose author is gone. */
export async function updatePost({ id, title }: z.infer<typeof updatePostInput>): Promise<Post> {
  const Key = await requireAuthor(id);
  const post = await (title === undefined ? findPost(id) : updateTitle(Key, title));
  if (!post) throw notFound('Post');
  return post;
}

async function updateTitle(Key: Key, title: string): Promise<Post | undefined> {
  const result = await update({
    Key,
    UpdateExpression: 'SET title = :title, updatedAt = :now',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':title': title, ':now': new Date().toISOString() },
  });
  return 'written' in result ? parsePost(result.written) : undefined;
}

/** Leaves a published post as it is. */
export async function publishPost({ id, publishedAt }: z.infer<typeof publishPostInput>): Promise<Post> {
  const now = new Date();
  const result = await update({
    Key: await requireAuthor(id),
    UpdateExpression: 'SET publishedAt = :at, updatedAt = :now',
    ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(publishedAt)',
    ExpressionAttributeValues: { ':at': (publishedAt ?? now).toISOString(), ':now': now.toISOString() },
  });
  const item = 'written' in result ? result.written : result.failed.item;
  if (!item) throw notFound('Post');
  return parsePost(item);
}

export async function deletePost({ id }: z.infer<typeof deletePostInput>): Promise<{ id: string }> {
  const Key = await requireAuthor(id);
  try {
    await table.send(new DeleteCommand({ TableName, Key, ConditionExpression: 'attribute_exists(pk)' }));
    return { id };
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? notFound('Post') : error;
  }
}

/** The posts of a deleted user are gone with it, though the table keeps them a moment longer. */
async function requireAuthor(id: string): Promise<Key> {
  const key = postKey(id);
  if (!key || !(await findUser(userIdOf(key.pk)))) throw notFound('Post');
  return key;
}
