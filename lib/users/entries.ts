import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import type { OnRead, Order } from './directory.ts';
import { compareKeys } from './entry-keys.ts';

/** Maximum users per page of a list by entries: each user is read by id. */
export const MAX_PAGE = 100;

/** Keys of entries that cost as much as reading one user: both take up to 4 KB. An entry has about 60 bytes. */
export const KEYS_PER_USER = 70;

/** Sort keys, inclusive. */
export type KeyRange = { from: string; to: string };

const selectRange = (pk: string, { from, to }: KeyRange) => ({
  TableName,
  KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
  ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
});

/** Counts the keys of a partition. Undefined for more than `max`. The response contains no keys. */
export async function countEntries(
  pk: string,
  { from, to }: KeyRange,
  max: number,
  onRead: OnRead,
): Promise<number | undefined> {
  if (compareKeys(from, to) > 0) return 0;
  const query: QueryCommandInput = { ...selectRange(pk, { from, to }), Select: 'COUNT' };
  let count = 0;
  do {
    const { Count = 0, LastEvaluatedKey } = await table.send(new QueryCommand({ ...query, Limit: max + 1 - count }));
    onRead(Math.max(1, Count / KEYS_PER_USER));
    count += Count;
    query.ExclusiveStartKey = LastEvaluatedKey;
  } while (query.ExclusiveStartKey && count <= max);
  return count > max ? undefined : count;
}

type EntryQuery = KeyRange & { after?: string | undefined; order: Order; limit: number; onRead: OnRead };

/** Returns the next sort keys of a partition. `after` may be outside of the range. Eventually consistent. */
export async function queryEntries(
  pk: string,
  { from, to, after, order, limit, onRead }: EntryQuery,
): Promise<{ keys: string[]; isEnd: boolean }> {
  const isBefore = after !== undefined && compareKeys(after, from) < 0;
  const isPast = after !== undefined && compareKeys(after, to) > 0;
  if (compareKeys(from, to) > 0 || (order === 'asc' ? isPast : isBefore)) return { keys: [], isEnd: true };
  const query: QueryCommandInput = {
    ...selectRange(pk, { from, to }),
    // DynamoDB rejects a start outside of the range.
    ExclusiveStartKey: after === undefined || isBefore || isPast ? undefined : { pk, sk: after },
    ScanIndexForward: order === 'asc',
  };
  const keys: string[] = [];
  do {
    const { Items = [], LastEvaluatedKey } = await table.send(
      new QueryCommand({ ...query, Limit: limit - keys.length }),
    );
    onRead(Math.max(1, Items.length / KEYS_PER_USER));
    keys.push(...Items.map(({ sk }) => String(sk)));
    query.ExclusiveStartKey = LastEvaluatedKey;
  } while (query.ExclusiveStartKey && keys.length < limit);
  return { keys, isEnd: !query.ExclusiveStartKey };
}
