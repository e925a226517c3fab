import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from './client.ts';
import type { Item } from './condition-failure.ts';
import type { Key } from './keys.ts';
import { retryOnConflict } from './retry.ts';

/** DynamoDB's limit for one BatchGetItem. */
const MAX_KEYS = 100;

const formatKey = ({ pk, sk }: Key) => JSON.stringify([pk, sk]);

/** Reads items by their keys, of which some may be equal. Returns those that exist. */
export async function getItems(keys: Key[], { ConsistentRead = false } = {}): Promise<(Item & Key)[]> {
  const unique = [...new Map(keys.map(({ pk, sk }) => [formatKey({ pk, sk }), { pk, sk }])).values()];
  const items: (Item & Key)[] = [];
  for (let start = 0; start < unique.length; start += MAX_KEYS) {
    let Keys: Record<string, unknown>[] = unique.slice(start, start + MAX_KEYS);
    await retryOnConflict(async () => {
      const RequestItems = { [TableName]: { Keys, ConsistentRead } };
      const { Responses, UnprocessedKeys } = await table.send(new BatchGetCommand({ RequestItems }));
      items.push(...((Responses?.[TableName] ?? []) as (Item & Key)[])); // Every item has a key.
      Keys = UnprocessedKeys?.[TableName]?.Keys ?? [];
      return Keys.length === 0 ? true : undefined;
    });
  }
  return items;
}
