import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { skipDamaged } from '../dynamodb/damaged-items.ts';
import { LOGGED_SORT_KEYS, parseUserId, postKey, userKey } from '../dynamodb/keys.ts';
import { invalidInput, notFound } from '../errors.ts';
import { sizes } from '../sizes.ts';
import { findUser } from '../users/read.ts';
import { type Post, parsePost } from './post.ts';

/** Reads consistently. Undefined for an unknown or malformed id. */
export async function findPost(id: string): Promise<Post | undefined> {
  const Key = postKey(id);
  if (!Key) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item && parsePost(Item);
}

/** Throws NOT_FOUND, also if the author is deleted: `on-change` deletes such posts a moment later. */
export async function getPost(id: string): Promise<Post> {
  const Key = postKey(id);
  if (!Key) throw notFound('Post');
  const [post, author] = await Promise.all([findPost(id), findUser(parseUserId(Key.pk))]);
  if (!post || !author) throw notFound('Post');
  return post;
}

export type ListPosts = { first?: number | null | undefined; after?: string | null | undefined };

/** Skips damaged posts. `onPage` may throw to stop. Throws BAD_USER_INPUT if `after` is a post of another user. */
export async function listPosts(
  authorId: string,
  { first, after }: ListPosts,
  onPage: (count: number) => void = () => {},
): Promise<Post[]> {
  const { pk } = userKey(authorId);
  const start = after == null ? { pk, sk: LOGGED_SORT_KEYS.post } : postKey(after);
  if (start?.pk !== pk) throw invalidInput(['after'], 'must be the id of a post of this user');
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :start AND :end',
    // POST$ sorts after all posts and before all other items of the user, because "$" follows "#".
    ExpressionAttributeValues: { ':pk': pk, ':start': start.sk, ':end': 'POST$' },
    ConsistentRead: true,
  };
  const limit = first ?? Number.POSITIVE_INFINITY;
  const posts: Post[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const pageSize = posts.length === 0 ? sizes.firstPosts : sizes.morePosts;
    const Limit = Math.min(pageSize, limit - posts.length) + 1;
    const page = await table.send(new QueryCommand({ ...query, Limit, ExclusiveStartKey }));
    const items = (page.Items ?? []).filter(({ sk }) => sk !== start.sk);
    onPage(items.length);
    posts.push(...skipDamaged(items, parsePost));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey && posts.length < limit);
  return posts.slice(0, limit);
}
