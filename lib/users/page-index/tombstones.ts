import { DeleteCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { removalKey } from '../../dynamodb/keys.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import type { TransactItem } from '../../dynamodb/transactions.ts';
import { addTo } from './block-writes.ts';
import { blockOf } from './blocks.ts';
import { countRemoval, readCheckpoint } from './checkpoint.ts';

/** The writes that take a user off the counts, for the transaction that deletes it. Read anew for each attempt. */
export async function putTombstone(id: string): Promise<TransactItem[]> {
  const { reached, levels } = await readCheckpoint();
  if (id > reached) return [countRemoval(id), { Put: { TableName, Item: removalKey(id) } }];
  const blocks = await Promise.all(
    levels.map(
      async ({ blocks }, level) => blocks.findLast((start) => start < id) ?? (await blockOf(level, id))?.behind,
    ),
  );
  return blocks.flatMap((behind, level) =>
    behind === undefined ? [] : [addTo(level, { behind, users: -1, parts: 0 })],
  );
}

/** The ids that were removed, also those that an indexer has passed already. */
export async function readRemovals(): Promise<string[]> {
  const ids: string[] = [];
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': removalKey('').pk },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) ids.push(...Items.map(({ sk }) => sk));
  return ids;
}

/** What is behind the checkpoint no longer matters; left over, it does no harm. */
export async function forgetRemovals(ids: string[]): Promise<void> {
  for (const id of ids) await table.send(new DeleteCommand({ TableName, Key: removalKey(id) }));
}
