import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../lib/dynamodb/client.ts';
import type { Item } from '../../lib/dynamodb/condition-failure.ts';

/** The most that one BatchWriteItem takes. */
const BATCH = 25;

/** Loads items straight into the table: for tests that need many of them and are not about how they got there. */
export async function putItems(items: Item[]): Promise<void> {
  for (let start = 0; start < items.length; start += BATCH) {
    const requests = items.slice(start, start + BATCH).map((item) => ({ PutRequest: { Item: item } }));
    const { UnprocessedItems = {} } = await table.send(
      new BatchWriteCommand({ RequestItems: { [TableName]: requests } }),
    );
    if (Object.keys(UnprocessedItems).length > 0) throw new Error('DynamoDB left items unprocessed');
  }
}
