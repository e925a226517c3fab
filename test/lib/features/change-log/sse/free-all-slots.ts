import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { deleteItems } from '../../../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../../../lib/dynamodb/client.ts';
import type { Key } from '../../../../../lib/dynamodb/keys.ts';
import { slotsKey } from '../../../../../lib/features/change-log/keys.ts';

/** Finds all partitions: the first 100 items cover each of them. */
const partitions = new Set(Array.from({ length: 100 }, (_, item) => slotsKey('ALL', item).pk));

export async function freeAllSlots(): Promise<void> {
  for (const pk of partitions) {
    const query = {
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ProjectionExpression: 'pk, sk',
    };
    for await (const { Items = [] } of paginateQuery({ client: table }, query)) await deleteItems(Items as Key[]);
  }
}
