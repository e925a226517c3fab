import { BatchWriteCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { userKey } from '../dynamodb/keys.ts';
import { TableName, table } from '../dynamodb/client.ts';
import { retryOnConflict } from '../dynamodb/retry.ts';

/** DynamoDB's most writes in one BatchWriteItem. */
const MAX_WRITES = 25;

/**
 * Deletes the posts of a deleted user, however many; nobody can add to them, since a post is written only beside its
 * author. Safe to repeat, and to go on with after a failure.
 */
export async function purgePosts(authorId: string): Promise<void> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
    ExpressionAttributeValues: { ':pk': userKey(authorId).pk, ':post': 'POST#' },
    ProjectionExpression: 'pk, sk',
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) {
    const batches = Array.from({ length: Math.ceil(Items.length / MAX_WRITES) }, (_, at) =>
      Items.slice(at * MAX_WRITES, (at + 1) * MAX_WRITES),
    );
    for (const batch of batches) await deleteAll(batch);
  }
}

function deleteAll(keys: Record<string, unknown>[]): Promise<true> {
  let writes = keys.map((Key) => ({ DeleteRequest: { Key } }));
  return retryOnConflict(async () => {
    const { UnprocessedItems } = await table.send(new BatchWriteCommand({ RequestItems: { [TableName]: writes } }));
    writes = (UnprocessedItems?.[TableName] ?? []) as typeof writes;
    return writes.length === 0 ? true : undefined;
  });
}
