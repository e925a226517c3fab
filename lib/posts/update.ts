import type * as z from 'zod/mini';
import type { Actor } from '../auth/caller.ts';
import { updateItem } from '../dynamodb/conditional-writes.ts';
import { requirePostKey } from '../dynamodb/keys.ts';
import { AGAIN, retryOnConflict } from '../dynamodb/retry.ts';
import { timestamp } from '../environment.ts';
import { concurrentChanges } from '../errors.ts';
import { getPost } from './get.ts';
import type { publishPostInput, updatePostInput } from './inputs.ts';
import type { NewPostVersion, Post } from './schema.ts';

/** Writes nothing if there is no title. Throws NOT_FOUND for an id that names no post, whatever its form. */
export const updatePost = ({ id, title }: z.infer<typeof updatePostInput>, by: Actor): Promise<Post> =>
  updateStoredPost(id, by, () => (title === undefined ? undefined : { title }));

/** Leaves a published post as it is. Throws NOT_FOUND for an id that names no post, whatever its form. */
export const publishPost = ({ id, publishedAt }: z.infer<typeof publishPostInput>, by: Actor): Promise<Post> =>
  updateStoredPost(id, by, (post) =>
    post.publishedAt ? undefined : { publishedAt: publishedAt?.toISOString() ?? timestamp() },
  );

type Changes = { title: string } | { publishedAt: string };

/** Writes the changes that `findChanges` makes of the current post; none where it makes none. */
function updateStoredPost(id: string, by: Actor, findChanges: (post: Post) => Changes | undefined): Promise<Post> {
  return retryOnConflict(async () => {
    const post = await getPost(id);
    const changes = findChanges(post);
    if (!changes) return post;
    const next = { ...post, ...changes, version: post.version + 1, by };
    const { failure } = await updateItem(updateIfUnchanged(post, next));
    return failure ? AGAIN : next;
  }, concurrentChanges);
}

/** Every write raises the version, so an equal version means an unchanged post. */
const updateIfUnchanged = (post: Post, { title, publishedAt, version, by }: NewPostVersion) => ({
  Key: requirePostKey(post.id),
  UpdateExpression:
    'SET title = :title, publishedAt = :publishedAt, updatedAt = :now, version = :version, #by = :by' as const,
  ConditionExpression: 'version = :read',
  ExpressionAttributeNames: { '#by': 'by' },
  ExpressionAttributeValues: {
    ':title': title,
    ':publishedAt': publishedAt,
    ':now': timestamp(),
    ':version': version,
    ':by': by,
    ':read': post.version,
  },
});
