import { split } from '../dynamodb/batches.ts';
import { requirePostKey } from '../dynamodb/keys.ts';
import { transact } from '../dynamodb/transactions.ts';
import { notFound } from '../errors.ts';
import { putNewPost, requireAuthor } from './create.ts';
import type { NewPostVersion } from './schema.ts';

export type StoredPost = NewPostVersion & { createdAt: string; updatedAt: string };

/** One item of a transaction is the check of the author. */
const MAX_POSTS = 99;

/** Writes posts of one author under their ids; those that exist stay as they are. Throws NOT_FOUND for an unknown author. */
export async function createPosts(authorId: string, posts: StoredPost[]): Promise<void> {
  for (const batch of split(posts, MAX_POSTS)) {
    let left = batch;
    while (left.length > 0) {
      const { failures } = await transact<string>({ [AUTHOR]: requireAuthor(authorId), ...listItems(left) });
      if (failures?.[AUTHOR]) throw notFound('User');
      left = failures ? left.filter(({ id }) => !failures[id]) : [];
    }
  }
}

const AUTHOR = 'author';

const listItems = (posts: StoredPost[]) =>
  Object.fromEntries(
    posts.map((post) => [post.id, putNewPost(requirePostKey(post.id), post, post.createdAt, post.updatedAt)]),
  );
