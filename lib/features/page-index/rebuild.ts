import { QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import type { Key } from '../../dynamodb/keys.ts';
import { MAX_TRANSACTION_ITEMS, transact } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import type { HasTimeLeft } from '../../maintenance/run.ts';
import { LEVELS } from './blocks.ts';
import { blockKey, checkpointKey } from './keys.ts';

/** Requests that the indexer's next run replaces the page index. */
export async function requestRebuild(): Promise<void> {
  await table.send(
    new UpdateCommand({
      TableName,
      Key: checkpointKey,
      UpdateExpression: 'SET rebuildId = if_not_exists(rebuildId, :new)',
      ExpressionAttributeValues: { ':new': environment.randomUUID() },
    }),
  );
}

/**
 * Deletes the blocks. Readers stay correct: they count users without blocks one by one. Parallel runs are safe: a late
 * transaction fails and deletes no new block.
 */
export async function clearIndex(rebuildId: string, hasTimeLeft: HasTimeLeft): Promise<void> {
  const rebuildCheck = {
    TableName,
    Key: checkpointKey,
    ConditionExpression: 'rebuildId = :rebuildId',
    ExpressionAttributeValues: { ':rebuildId': rebuildId },
  };
  for (const level of LEVELS)
    for (;;) {
      const keys = await readKeys(level);
      if (keys.length === 0) break;
      if (!hasTimeLeft()) return;
      const deletes = keys.map((Key, at) => [String(at), { Delete: { TableName, Key } }] as const);
      const { failures } = await transact({ during: { ConditionCheck: rebuildCheck }, ...Object.fromEntries(deletes) });
      if (failures) return;
    }
  await transact({ checkpoint: { Delete: rebuildCheck } });
}

async function readKeys(level: number): Promise<Key[]> {
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': blockKey(level, '').pk },
      ProjectionExpression: 'pk, sk',
      ConsistentRead: true,
      Limit: MAX_TRANSACTION_ITEMS - 1,
    }),
  );
  return (Items as Key[]).filter(({ sk }) => sk !== checkpointKey.sk); // ProjectionExpression selects only the keys.
}
