import { BatchWriteCommand, DeleteCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { blockKey, checkpointKey, type Key } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/retry.ts';
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

/** DynamoDB's limit for a BatchWriteItem. */
const MAX_BATCH = 25;

async function deleteLevel(level: number): Promise<void> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': blockKey(level, '').pk },
    ProjectionExpression: 'pk, sk',
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: MAX_BATCH }, query))
    await deleteItems(Items.map(({ pk, sk }) => ({ pk, sk })).filter(({ sk }) => sk !== checkpointKey.sk));
}

async function deleteItems(keys: Key[]): Promise<void> {
  let requests = keys.map((Key) => ({ DeleteRequest: { Key } }));
  await retryOnConflict(async () => {
    if (requests.length === 0) return true;
    const { UnprocessedItems = {} } = await table.send(
      new BatchWriteCommand({ RequestItems: { [TableName]: requests } }),
    );
    requests = (UnprocessedItems[TableName] ?? []) as typeof requests; // Some of the requests it was given.
    return requests.length === 0 ? true : undefined;
  });
}
