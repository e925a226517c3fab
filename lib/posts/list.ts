import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { invalidInput } from '../errors.ts';
import { postKey, userKey } from '../dynamodb/keys.ts';
import { TableName, table } from '../dynamodb/client.ts';
import { type Post, parsePost } from './schema.ts';

export type ListPosts = { first?: number | null | undefined; after?: string | null | undefined };

/** The posts of a user, oldest first; all of them without `first`. Throws BAD_USER_INPUT for an `after` of another user. */
export async function listPosts(authorId: string, { first, after }: ListPosts): Promise<Post[]> {
  const { pk } = userKey(authorId);
  const start = after == null ? { pk, sk: 'POST#' } : postKey(after);
  if (start?.pk !== pk) throw invalidInput(['after'], 'must be the id of a post of this user');
  const posts: Post[] = [];
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :start AND :end',
    // "$" follows "#", so this key is after every post and before any other sort key of the user.
    ExpressionAttributeValues: { ':pk': pk, ':start': start.sk, ':end': 'POST$' },
    ConsistentRead: true,
    // BETWEEN is inclusive, so a page after a post begins with that post.
    ...(first ? { Limit: first + 1 } : {}),
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) {
    posts.push(...Items.filter(({ sk }) => sk !== start.sk).map(parsePost));
    if (first && posts.length >= first) return posts.slice(0, first);
  }
  return posts;
}
