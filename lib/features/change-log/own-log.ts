import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { updateItemIf } from '../../dynamodb/conditional.ts';
import type { Item, Key } from '../../dynamodb/keys.ts';
import { type ChangeEntry, readChangeEntry } from './entry.ts';
import { changeKey } from './keys.ts';
import { MAX_POSITION, MIN_POSITION, queryAfter, type Topic } from './topics.ts';

/** Tells whether there is something to deliver: what was erased has no item any more. */
export const isReadable = ({ kind, item }: ChangeEntry): boolean => kind === 'DELETED' || item !== null;

/** Reads the entries after a position, in order, without those that were damaged by hand. */
export async function* readEntries(
  topic: Topic,
  after: string,
): AsyncGenerator<{ change: ChangeEntry; position: string }> {
  for await (const item of readStoredEntries(topic, after)) {
    const change = readChangeEntry(item);
    if (change) yield { change, position: item.sk };
  }
}

/** Reads the items of all entries after a position, in order. */
export async function* readStoredEntries(topic: Topic, after: string): AsyncGenerator<Item & Key> {
  const query = { ...queryAfter(topic, after), ConsistentRead: true };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield* Items as (Item & Key)[]; // Every item has a key.
}

/** Tells, for half the price of a consistent read, whether there seem to be entries after a position. */
export async function hasEntries(topic: Topic, after: string): Promise<boolean> {
  const { Count } = await table.send(new QueryCommand({ ...queryAfter(topic, after), Limit: 1 }));
  return Count !== 0;
}

const PAGE_SIZE = 20;

/** Finds the last position before a time, in ms, or that of the last entry. A log can be years long, so it is read from its end. */
export async function findPosition(topic: Topic, time = Number.POSITIVE_INFINITY): Promise<string> {
  const query = { ...queryAfter(topic, MIN_POSITION), ScanIndexForward: false, ConsistentRead: true };
  const isAnyTime = time === Number.POSITIVE_INFINITY;
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: isAnyTime ? 1 : PAGE_SIZE }, query))
    for (const item of Items) {
      const change = readChangeEntry(item);
      if (change && Math.max(Date.parse(change.at), change.streamedAt) < time) return item.sk;
    }
  return MIN_POSITION;
}

/** Removes the personal data of an entry. It stays itself, so that the stream cannot bring the change back. */
export const eraseEntry = ({ name }: Topic, position: string): Promise<boolean> =>
  updateItemIf({
    Key: changeKey(name, position),
    UpdateExpression: 'REMOVE #item, #before',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#item': 'item', '#before': 'before' },
  });

/**
 * Reads up to so many of the last entries, or of those before a position, latest first. The read is eventually consistent, as
 * on-change itself is later than replicas are.
 */
export async function readLatestEntries(
  { name }: Topic,
  before: string | undefined,
  limit: number,
): Promise<ChangeEntry[]> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': changeKey(name, MIN_POSITION).pk, ':before': before ?? MAX_POSITION },
    ScanIndexForward: false,
  };
  const entries: ChangeEntry[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: limit }, query)) {
    entries.push(...Items.flatMap((item) => readChangeEntry(item) ?? []));
    if (entries.length >= limit) break;
  }
  return entries.slice(0, limit);
}
