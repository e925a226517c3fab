import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { TableName } from '../dynamodb/client.ts';
import { requirePostKey } from '../dynamodb/keys.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { type TransactItems, transact } from '../dynamodb/transactions.ts';
import { concurrentChanges } from '../errors.ts';
import { putDeletion } from '../features/change-log/deletions.ts';
import { getPost } from './get.ts';
import type { deletePostInput } from './inputs.ts';
import type { Post } from './schema.ts';

/** Throws NOT_FOUND for an id that names no post, whatever its form. */
export function deletePost({ id }: z.infer<typeof deletePostInput>, by: Actor): Promise<{ id: string }> {
  return retryOnConflict(async () => {
    const post = await getPost(id);
    const { failures } = await transact(() => createItems(post, by), { onTimeout: concurrentChanges });
    return failures ? AGAIN : { id };
  }, concurrentChanges);
}

/** Every write raises the version, so the record names the one that the deletion makes. */
function createItems({ id, version }: Post, by: Actor): TransactItems<'post' | 'deletion'> {
  const Key = requirePostKey(id);
  return {
    post: {
      Delete: {
        TableName,
        Key,
        ConditionExpression: 'version = :read',
        ExpressionAttributeValues: { ':read': version },
      },
    },
    deletion: putDeletion(Key, { by, version: version + 1 }),
  };
}
