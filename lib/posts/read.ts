import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { parseUserId, postKey, userKey } from '../dynamodb/keys.ts';
import { invalidInput, notFound } from '../errors.ts';
import { sizes } from '../sizes.ts';
import { findUser } from '../users/read.ts';
import { type Post, parsePost } from './post.ts';

/** The read is consistent. Returns undefined for an id that names no post, whatever its form. */
export async function findPost(id: string): Promise<Post | undefined> {
  const Key = postKey(id);
  if (!Key) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item && parsePost(Item);
}

/** Throws NOT_FOUND, also for a post whose author is deleted: the stream deletes such posts a moment later. */
export async function getPost(id: string): Promise<Post> {
  const Key = postKey(id);
  if (!Key) throw notFound('Post');
  const [post, author] = await Promise.all([findPost(id), findUser(parseUserId(Key.pk))]);
  if (!post || !author) throw notFound('Post');
  return post;
}

export type ListPosts = { first?: number | null | undefined; after?: string | null | undefined };

/**
 * The posts of a user, oldest first; all of them without `first`. `onPage` gets the number of posts of each page before
 * the next page is read, and stops the reading if it throws; pages are small, so that little is read in vain.
 * Throws BAD_USER_INPUT for an `after` of another user.
 */
export async function listPosts(
  authorId: string,
  { first, after }: ListPosts,
  onPage: (count: number) => void = () => {},
): Promise<Post[]> {
  const { pk } = userKey(authorId);
  const start = after == null ? { pk, sk: 'POST#' } : postKey(after);
  if (start?.pk !== pk) throw invalidInput(['after'], 'must be the id of a post of this user');
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :start AND :end',
    // "$" follows "#", so this key is after every post and before any other sort key of the user.
    ExpressionAttributeValues: { ':pk': pk, ':start': start.sk, ':end': 'POST$' },
    ConsistentRead: true,
  };
  const limit = first ?? Number.POSITIVE_INFINITY;
  const posts: Post[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const pageSize = posts.length === 0 ? sizes.firstPosts : sizes.morePosts;
    // BETWEEN is inclusive, so a page after a post begins with that post.
    const Limit = Math.min(pageSize, limit - posts.length) + 1;
    const page = await table.send(new QueryCommand({ ...query, Limit, ExclusiveStartKey }));
    const items = (page.Items ?? []).filter(({ sk }) => sk !== start.sk);
    onPage(items.length);
    posts.push(...items.map(parsePost));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey && posts.length < limit);
  return posts.slice(0, limit);
}
