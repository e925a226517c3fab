import type * as z from 'zod/mini';
import { TableName } from '../dynamodb/client.ts';
import { requirePostKey } from '../dynamodb/keys.ts';
import { transact } from '../dynamodb/transactions.ts';
import { concurrentChanges, notFound } from '../errors.ts';
import { getPost } from './get.ts';
import type { deletePostInput } from './schema.ts';

/**
 * Throws NOT_FOUND for an id that names no post, whatever its form. A transaction, for its token: a deleted item could
 * not tell the retry of a lost answer that it was deleted by the first request.
 */
export async function deletePost({ id }: z.infer<typeof deletePostInput>): Promise<{ id: string }> {
  await getPost(id);
  const post = { Delete: { TableName, Key: requirePostKey(id), ConditionExpression: 'attribute_exists(pk)' } };
  const { failures } = await transact({ post }, { onTimeout: concurrentChanges });
  if (failures) throw notFound('Post');
  return { id };
}
