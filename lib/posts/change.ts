import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod';
import { notFound } from '../errors.ts';
import { postKey } from '../keys.ts';
import { TableName, table, update } from '../table.ts';
import { type deletePostInput, type Post, parsePost, type publishPostInput, type updatePostInput } from './schema.ts';

/** Each throws `not-found` for an id that names no post, whatever its form. */
export async function updatePost({ id, title }: z.infer<typeof updatePostInput>): Promise<Post> {
  if (title === undefined) return change(id, {});
  return change(id, { UpdateExpression: 'SET title = :title', ExpressionAttributeValues: { ':title': title } });
}

/** Leaves a published post as it is. */
export const publishPost = ({ id, publishedAt }: z.infer<typeof publishPostInput>): Promise<Post> =>
  change(id, {
    UpdateExpression: 'SET publishedAt = if_not_exists(publishedAt, :at)',
    ExpressionAttributeValues: { ':at': (publishedAt ?? new Date()).toISOString() },
  });

export async function deletePost({ id }: z.infer<typeof deletePostInput>): Promise<{ id: string }> {
  const Key = keyOf(id);
  try {
    await table.send(new DeleteCommand({ TableName, Key, ConditionExpression: 'attribute_exists(pk)' }));
    return { id };
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? notFound('Post') : error;
  }
}

async function change(id: string, input: Pick<UpdateCommandInput, 'UpdateExpression' | 'ExpressionAttributeValues'>) {
  const result = await update({ Key: keyOf(id), ...input, ConditionExpression: 'attribute_exists(pk)' });
  if ('refused' in result) throw notFound('Post');
  return parsePost(result.written);
}

function keyOf(id: string) {
  const key = postKey(id);
  if (!key) throw notFound('Post');
  return key;
}
