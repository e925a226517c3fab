import type * as z from 'zod';
import { deleteItem } from '../dynamodb/conditional-writes.ts';
import { requirePostKey } from '../dynamodb/keys.ts';
import { notFound } from '../errors.ts';
import { getPost } from './get.ts';
import type { deletePostInput } from './schema.ts';

/** Throws NOT_FOUND for an id that names no post, whatever its form. */
export async function deletePost({ id }: z.infer<typeof deletePostInput>): Promise<{ id: string }> {
  await getPost(id);
  const deleted = await deleteItem({ Key: requirePostKey(id), ConditionExpression: 'attribute_exists(pk)' });
  if (!deleted) throw notFound('Post');
  return { id };
}
