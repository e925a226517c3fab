import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { type Key, purgeKey, userKey } from '../dynamodb/keys.ts';
import { retryOnConflict } from '../dynamodb/retry.ts';

/** What is to be deleted next. Part 0 follows from the deletion of the user itself. */
export type Purge = { authorId: string; part: number };

const MAX_POSTS_PER_PART = 100;

/** DynamoDB's limit for one BatchWriteItem. */
const MAX_WRITES = 25;

/**
 * Deletes the posts of a deleted user in parts of at most 100; no new ones can appear, since createPost checks that the
 * author exists. When more are left, a purge record names the next part. Writing it is an event of the table's stream,
 * which brings it back to `on-change`, so that the events of others pass in between and a crash loses nothing.
 * Safe to repeat: a repeated part finds that the record has advanced, or is gone.
 */
export async function purgePosts({ authorId, part }: Purge): Promise<void> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND begins_with(sk, :post)',
    ExpressionAttributeValues: { ':pk': userKey(authorId).pk, ':post': 'POST#' },
    ProjectionExpression: 'pk, sk',
    ConsistentRead: true,
    Limit: MAX_POSTS_PER_PART,
  };
  const { Items = [], LastEvaluatedKey } = await table.send(new QueryCommand(query));
  for (let start = 0; start < Items.length; start += MAX_WRITES)
    await deleteAll(Items.slice(start, start + MAX_WRITES) as Key[]); // As projected.
  if (LastEvaluatedKey) await requestNextPart({ authorId, part });
  else if (part > 0) await deleteAll([purgeKey(authorId)]);
}

async function requestNextPart({ authorId, part }: Purge): Promise<void> {
  const Item = { ...purgeKey(authorId), part: part + 1 };
  const condition =
    part === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : { ConditionExpression: 'part = :part', ExpressionAttributeValues: { ':part': part } };
  try {
    await table.send(new PutCommand({ TableName, Item, ...condition }));
  } catch (error) {
    // This part was repeated, and the record has gone on.
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

function deleteAll(keys: Key[]): Promise<true> {
  let writes = keys.map((Key) => ({ DeleteRequest: { Key } }));
  return retryOnConflict(async () => {
    const { UnprocessedItems } = await table.send(new BatchWriteCommand({ RequestItems: { [TableName]: writes } }));
    writes = (UnprocessedItems?.[TableName] ?? []) as typeof writes;
    return writes.length === 0 ? true : undefined;
  });
}
