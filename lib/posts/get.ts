import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { postKey } from '../dynamodb/keys.ts';
import { TableName, table } from '../dynamodb/table.ts';
import { type Post, parsePost } from './schema.ts';

/** Undefined for an id that names no post, whatever its form. */
export async function findPost(id: string): Promise<Post | undefined> {
  const Key = postKey(id);
  if (!Key) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item && parsePost(Item);
}
