import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { deleteItems, getItems } from '../../dynamodb/batches.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { parseTombstoneKey, parseUserId, tombstoneKey, userKey } from '../../dynamodb/keys.ts';
import { sizes } from '../../sizes.ts';
import { clearIndex, type IndexOptions, indexPages } from './indexer.ts';

/**
 * Replaces the page index by a new one, after users were written whose ids are not new. Of those who were deleted before,
 * the tombstones go first: they would be subtracted. If index-pages runs meanwhile, it completes the index.
 */
export async function rebuildIndex(options: IndexOptions = {}): Promise<void> {
  await deleteWrongTombstones();
  await clearIndex();
  await indexPages(options);
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
