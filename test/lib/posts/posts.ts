import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { newPostKey, userKey } from '../../../lib/dynamodb/keys.ts';

export const createPosts = (authorId: string, count: number) =>
  putItems(Array.from({ length: count }, () => ({ ...newPostKey(authorId, crypto.randomUUID()), title: 'A post' })));

export async function countPosts(authorId: string): Promise<number> {
  const { Count = 0 } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
      ExpressionAttributeValues: { ':pk': userKey(authorId).pk, ':post': 'POST#' },
      Select: 'COUNT',
      ConsistentRead: true,
    }),
  );
  return Count;
}
