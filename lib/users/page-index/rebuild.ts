import { DeleteCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { deleteItems, MAX_BATCH_WRITE } from '../../dynamodb/batches.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { blockKey, checkpointKey } from '../../dynamodb/keys.ts';
import { LEVELS } from './blocks.ts';

/**
 * Deletes all blocks and then the checkpoint; until that is done no indexer writes. Readers stay right meanwhile, as
 * they count what no block holds. Tombstones stay: deletes go on putting them.
 */
export async function clearIndex(): Promise<void> {
  const lock = { UpdateExpression: 'SET isRebuilding = :true', ExpressionAttributeValues: { ':true': true } };
  await table.send(new UpdateCommand({ TableName, Key: checkpointKey, ...lock }));
  for (const level of LEVELS.toReversed()) await deleteLevel(level);
  await table.send(new DeleteCommand({ TableName, Key: checkpointKey }));
}

async function deleteLevel(level: number): Promise<void> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': blockKey(level, '').pk },
    ProjectionExpression: 'pk, sk',
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: MAX_BATCH_WRITE }, query))
    await deleteItems(Items.map(({ pk, sk }) => ({ pk, sk })).filter(({ sk }) => sk !== checkpointKey.sk));
}
