import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { parseUserId, postKey } from '../dynamodb/keys.ts';
import { notFound } from '../errors.ts';
import { findUser } from '../users/read.ts';
import { type Post, parsePost } from './schema.ts';

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
