import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { getItems, split } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { updateItemIf } from '../../dynamodb/conditional.ts';
import { formatKey, type Item, type Key, parseAuthorId } from '../../dynamodb/keys.ts';
import { type ChangeEntry, parseChangeEntry, readChangeEntry } from './entry.ts';
import { changeKey } from './keys.ts';
import { type OrderEntry, type Ref, readOrder } from './order-log.ts';
import { findTopic, formatPosition, MAX_POSITION, MIN_POSITION, queryAfter, type Topic } from './topics.ts';

/**
 * A log is read up to the position `watermark`. An entry of the order log holds several changes: of the next entry, `offset`
 * changes were read.
 */
export type LogPosition = { watermark: string; offset: number };

/** A change with the position after it. Undefined if nothing is to be delivered: another reader's change, or an erased one. */
export type ReadChange = { change: ChangeEntry | undefined; position: LogPosition };

/** `partSize` is the number of refs whose changes are read at once. */
export type ReadOptions = { ConsistentRead?: boolean; pageSize?: number; partSize?: number };

/** Reads the changes of a topic after a position, in order. Reaches the end of the order log only with a consistent read. */
export const readChanges = (
  topic: Topic,
  position: LogPosition,
  options: ReadOptions = {},
): AsyncGenerator<ReadChange> => (topic.isOrderLog ? readAllUsers(position, options) : readOwnLog(topic, position));

/** True if a position is not after another one of the same log. */
export const isUpTo = (one: LogPosition, other: LogPosition): boolean =>
  one.watermark === other.watermark ? one.offset <= other.offset : one.watermark < other.watermark;

// The log of all users: entries of the order log name changes, which are read from the logs of their users.

/** A query page of the order log has at most this many refs. */
const ALL_OF_A_PAGE = 10_000;

async function* readAllUsers(
  { watermark, offset }: LogPosition,
  { partSize = ALL_OF_A_PAGE, ...options }: ReadOptions,
): AsyncGenerator<ReadChange> {
  let alreadyRead = offset;
  for await (const entries of readOrder(watermark, options)) {
    const refs = entries.flatMap((entry, index) => listRefs(entry).slice(index === 0 ? alreadyRead : 0));
    if (entries.length > 0) alreadyRead = 0;
    for (const part of split(refs, partSize)) {
      const contents = await readContents(part.map(({ ref }) => ref).filter(isOfUser));
      for (const { ref, position } of part) yield { change: contents.get(ref), position };
    }
  }
}

export const isOfUser = ({ id }: Ref) => parseAuthorId(id) === undefined;

/** Lists the changes that an entry of the order log names, each with the position after it. */
export const listRefs = ({ number, position: end, refs }: OrderEntry): { ref: Ref; position: LogPosition }[] =>
  refs.map((ref, index) => {
    const isLast = index === refs.length - 1;
    const position = isLast
      ? { watermark: end, offset: 0 }
      : { watermark: formatPosition(number - 1), offset: index + 1 };
    return { ref, position };
  });

/**
 * Reads the changes that refs of the order log name. There is none where an entry has expired or was erased. A deletion
 * follows from its ref alone.
 */
export async function readContents(refs: Ref[]): Promise<Map<Ref, ChangeEntry | undefined>> {
  const keys = refs.map(toKey);
  const items = await getItems(keys);
  const found = new Set(items.map(formatKey));
  // A ref can be visible before its entry.
  const late = keys.filter((key) => !found.has(formatKey(key)));
  items.push(...(await getItems(late, { ConsistentRead: true })));
  const entries = new Map(items.map((item) => [formatKey(item), readChangeEntry(item)]));
  const contents = new Map<Ref, ChangeEntry | undefined>();
  for (const ref of refs) {
    const entry = entries.get(formatKey(toKey(ref)));
    const change = entry ?? (ref.kind === 'DELETED' ? toDeletion(ref) : undefined);
    contents.set(ref, change && isReadable(change) ? change : undefined);
  }
  return contents;
}

const toKey = ({ id, sequence }: Ref): Key => changeKey(findTopic(id).name, sequence);

const toDeletion = ({ kind, id, sequence, at }: Ref): ChangeEntry =>
  parseChangeEntry({ ...toKey({ kind, id, sequence, at }), kind, id, at: new Date(at).toISOString(), streamedAt: at });

// The log of one user, or of one author's posts.

async function* readOwnLog(topic: Topic, { watermark }: LogPosition): AsyncGenerator<ReadChange> {
  for await (const { change, position } of readEntries(topic, watermark))
    yield { change: isReadable(change) ? change : undefined, position: { watermark: position, offset: 0 } };
}

/** False for an erased entry, which has nothing to deliver. */
const isReadable = ({ kind, item }: ChangeEntry): boolean => kind === 'DELETED' || item !== null;

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
