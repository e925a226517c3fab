import { DeleteCommand, paginateQuery, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { deleteItems, getItems } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { parseUserId, userKey } from '../../dynamodb/keys.ts';
import { sizes } from '../../sizes.ts';
import { LEVELS } from './blocks.ts';
import { type IndexOptions, type IndexRun, indexPages } from './indexer.ts';
import { blockKey, checkpointKey, parseTombstoneKey, tombstoneKey } from './keys.ts';

/**
 * Replaces the page index by a new one, after users were written whose ids are not new. Of those who were deleted before,
 * the tombstones go first: they would be subtracted. If index-pages runs meanwhile, it completes the index.
 */
export async function rebuildIndex(options: IndexOptions = {}): Promise<IndexRun> {
  await deleteWrongTombstones();
  await clearIndex();
  return indexPages(options);
}

/** A user who is deleted meanwhile gets another tombstone. */
async function deleteWrongTombstones(): Promise<void> {
  const { pk } = tombstoneKey(0);
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
    ConsistentRead: true,
  };
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: sizes.batchGet }, query)) {
    const ids = Items.map(({ sk }) => parseTombstoneKey(sk).id);
    const users = await getItems(ids.map(userKey), { ConsistentRead: true });
    const existing = new Set(users.map(({ pk }) => parseUserId(pk)));
    const wrong = Items.filter(({ sk }) => existing.has(parseTombstoneKey(sk).id));
    await deleteItems(wrong.map(({ sk }) => ({ pk, sk })));
  }
}

/**
 * Deletes all blocks and then the checkpoint; until that is done no indexer writes. Readers stay right meanwhile, as
 * they count what no block holds. Tombstones stay: deletes go on putting them.
 */
async function clearIndex(): Promise<void> {
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
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: sizes.batchWrite }, query))
    await deleteItems(Items.map(({ pk, sk }) => ({ pk, sk })).filter(({ sk }) => sk !== checkpointKey.sk));
}
