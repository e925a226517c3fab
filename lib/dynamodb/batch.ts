import { BatchGetCommand, BatchWriteCommand, type BatchWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { split } from '../parallel.ts';
import { sizes } from '../sizes.ts';
import { TableName, table } from './client.ts';
import { formatKey, type Item, type Key } from './keys.ts';
import { retryOnConflict } from './requests.ts';

const distinctKeys = (keys: Key[]): Key[] => [
  ...new Map(keys.map(({ pk, sk }) => [formatKey({ pk, sk }), { pk, sk }])).values(),
];

/** Returns the items with these keys. Skips missing items. Accepts repeated keys. */
export async function getItems(keys: Key[], { ConsistentRead = false } = {}): Promise<(Item & Key)[]> {
  const items: (Item & Key)[] = [];
  for (const batch of split(distinctKeys(keys), sizes.batchGet)) {
    let Keys: Record<string, unknown>[] = batch;
    await retryOnConflict(async () => {
      const RequestItems = { [TableName]: { Keys, ConsistentRead } };
      const { Responses, UnprocessedKeys } = await table.send(new BatchGetCommand({ RequestItems }));
      items.push(...((Responses?.[TableName] ?? []) as (Item & Key)[])); // Every item has a key.
      Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
      return Keys.length === 0 ? undefined : 'retry';
    });
  }
  return items;
}

/** Writes items without conditions. Replaces existing items. */
export const putItems = (items: Item[]): Promise<void> => writeAll(items.map((Item) => ({ PutRequest: { Item } })));

/** Deletes items without conditions. */
export const deleteItems = (keys: Key[]): Promise<void> => writeAll(keys.map((Key) => ({ DeleteRequest: { Key } })));

type WriteRequests = NonNullable<BatchWriteCommandInput['RequestItems']>[string];

async function writeAll(writes: WriteRequests): Promise<void> {
  for (const batch of split(writes, sizes.batchWrite)) {
    let requests = batch;
    await retryOnConflict(async () => {
      const { UnprocessedItems } = await table.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
      requests = UnprocessedItems?.[TableName] ?? [];
      return requests.length === 0 ? undefined : 'retry';
    });
  }
}
