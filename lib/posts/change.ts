import { updateItem } from '../dynamodb/conditional-writes.ts';
import { requirePostKey } from '../dynamodb/keys.ts';
import { retryOnConflict } from '../dynamodb/retry.ts';
import { concurrentChanges } from '../errors.ts';
import { getPost } from './get.ts';
import type { Post } from './schema.ts';

type Changes = { title: string } | { publishedAt: string };

/** Writes the changes that `decide` makes of the current post; none where it makes none. Throws NOT_FOUND. */
export function changePost(id: string, decide: (post: Post) => Changes | undefined): Promise<Post> {
  return retryOnConflict(async () => {
    const post = await getPost(id);
    const changes = decide(post);
    if (!changes) return post;
    const next = { ...post, ...changes, version: post.version + 1 };
    const { failure } = await updateItem(updateIfUnchanged(post, next));
    return failure ? undefined : next;
  }, concurrentChanges);
}

/** Every write raises the version, so an equal version means an unchanged post. */
const updateIfUnchanged = (post: Post, { title, publishedAt, version }: Post) => ({
  Key: requirePostKey(post.id),
  UpdateExpression: 'SET title = :title, publishedAt = :publishedAt, updatedAt = :now, version = :version' as const,
  ConditionExpression: 'version = :read',
  ExpressionAttributeValues: {
    ':title': title,
    ':publishedAt': publishedAt,
    ':now': new Date().toISOString(),
    ':version': version,
    ':read': post.version,
  },
});
