import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { writeIf } from '../../dynamodb/conditional.ts';
import { formatKey, type Item, type Key, parseAuthorId } from '../../dynamodb/keys.ts';
import { split } from '../../parallel.ts';
import type { User } from '../../users/user.ts';
import { listPendingErasures } from '../erasure/record.ts';
import { type ChangeEntry, findChangeTime, parseChangeEntry, tryParseChangeEntry } from './entry.ts';
import { readEpochs } from './epochs.ts';
import { changeKey } from './keys.ts';
import { type OrderEntry, type Ref, readOrder } from './order-log.ts';
import {
  EPOCH,
  findTopic,
  formatPosition,
  MAX_POSITION,
  MIN_POSITION,
  queryAfter,
  type Topic,
  userTopic,
} from './topics.ts';
import { parseVersions } from './versions.ts';

/** The reader has read all entries up to `watermark`, plus `offset` changes of the next order-log entry. */
export type LogPosition = { watermark: string; offset: number };

/** `change` is undefined if it was erased or is not shown to this reader. */
export type ReadChange = { change: ChangeEntry | undefined; position: LogPosition };

export type ReadOptions = { ConsistentRead?: boolean; pageSize?: number; partSize?: number };

/** Reads changes after a position. Only a consistent read reaches the end of the order log. */
export const readChanges = (
  topic: Topic,
  position: LogPosition,
  options: ReadOptions = {},
): AsyncGenerator<ReadChange> => (topic.isOrderLog ? readAllUsers(position, options) : readOwnLog(topic, position));

export const isUpTo = (one: LogPosition, other: LogPosition): boolean =>
  one.watermark === other.watermark ? one.offset <= other.offset : one.watermark < other.watermark;

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
      const contents = await readContents(part.map(({ ref }) => ref).filter(isUserRef));
      for (const { ref, position } of part) yield { change: contents.get(ref), position };
    }
  }
}

export const isUserRef = ({ id }: Ref) => parseAuthorId(id) === undefined;

export const listRefs = ({ number, position: end, refs }: OrderEntry): { ref: Ref; position: LogPosition }[] =>
  refs.map((ref, index) => {
    const isLast = index === refs.length - 1;
    const position = isLast
      ? { watermark: end, offset: 0 }
      : { watermark: formatPosition(number - 1), offset: index + 1 };
    return { ref, position };
  });

/**
 * Reads the changes that refs name. Expired and erased changes are undefined. A deletion can be built from its ref
 * alone.
 */
export async function readContents(refs: Ref[], epoch = EPOCH): Promise<Map<Ref, ChangeEntry | undefined>> {
  const toKey = ({ id, sequence }: Ref): Key => changeKey(findTopic(id, epoch).name, sequence);
  const keys = refs.map(toKey);
  const items = await getItems(keys);
  const found = new Set(items.map(formatKey));
  // Read missing entries again, because a replica may return a ref before its entry.
  const late = keys.filter((key) => !found.has(formatKey(key)));
  items.push(...(await getItems(late, { ConsistentRead: true })));
  const changes = await parseShown(items);
  const entries = new Map(changes.map((change) => [formatKey(changeKey(change.topic, change.sequence)), change]));
  const contents = new Map<Ref, ChangeEntry | undefined>();
  for (const ref of refs) {
    const key = toKey(ref);
    const change = entries.get(formatKey(key)) ?? (ref.kind === 'DELETED' ? toDeletion(ref, key) : undefined);
    contents.set(ref, change && isReadable(change) ? change : undefined);
  }
  return contents;
}

const toDeletion = ({ kind, id, at }: Ref, key: Key): ChangeEntry =>
  parseChangeEntry({ ...key, kind, id, at: new Date(at).toISOString(), streamedAt: at });

async function* readOwnLog(topic: Topic, { watermark }: LogPosition): AsyncGenerator<ReadChange> {
  for await (const change of readEntries(topic, watermark))
    yield { change: isReadable(change) ? change : undefined, position: { watermark: change.sequence, offset: 0 } };
}

const isReadable = ({ kind, item }: ChangeEntry): boolean => kind === 'DELETED' || item !== null;

export async function* readEntries(topic: Topic, after: string): AsyncGenerator<ChangeEntry> {
  for await (const items of queryEntries(topic, after)) yield* await parseShown(items);
}

/** Includes content that readers do not see, because its erasure is pending. */
export async function* readStoredEntries(topic: Topic, after: string): AsyncGenerator<Item & Key> {
  for await (const items of queryEntries(topic, after)) yield* items;
}

async function* queryEntries(topic: Topic, after: string): AsyncGenerator<(Item & Key)[]> {
  const query = { ...queryAfter(topic, after), ConsistentRead: true };
  // Every item has a key.
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield Items as (Item & Key)[];
}

/**
 * Parses entries for readers. Skips damaged entries. Removes the content of pending erasures: the job empties the
 * entries minutes after the request. Reads the erasures after the entries, because a request may arrive in between. The
 * job completes an erasure only in a later run, so a lagging replica shows no content either.
 */
async function parseShown(items: Item[]): Promise<ChangeEntry[]> {
  const changes = items.flatMap((item) => tryParseChangeEntry(item) ?? []);
  if (!changes.some(hasContent)) return changes;
  const erased = new Set<string>();
  for await (const { id } of listPendingErasures()) erased.add(id);
  return changes.map((change) => (erased.has(change.userId) ? removeContent(change) : change));
}

const hasContent = ({ item, before }: ChangeEntry): boolean => item !== null || before !== undefined;

const removeContent = ({ before, ...change }: ChangeEntry): ChangeEntry => ({ ...change, item: null });

/** True if the log has entries after this position. Reads eventually consistently, at half the price. */
export async function hasEntries(topic: Topic, after: string): Promise<boolean> {
  const { Count } = await table.send(new QueryCommand({ ...queryAfter(topic, after), Limit: 1 }));
  return Count !== 0;
}

const PAGE_SIZE = 20;

/** Finds the position before `time` (in ms). Reads from the end, because a log can span years. */
export async function findPosition(topic: Topic, time = Number.POSITIVE_INFINITY): Promise<string> {
  const query = { ...queryAfter(topic, MIN_POSITION), ScanIndexForward: false, ConsistentRead: true };
  const isAnyTime = time === Number.POSITIVE_INFINITY;
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: isAnyTime ? 1 : PAGE_SIZE }, query))
    for (const item of Items) {
      const change = tryParseChangeEntry(item);
      if (change && findChangeTime(change) < time) return item.sk;
    }
  return MIN_POSITION;
}

/**
 * Removes the content of an entry. The entry stays, so that a repeated stream record cannot restore the personal data.
 */
export const eraseEntry = ({ name }: Topic, position: string) =>
  writeIf('Update', {
    Key: changeKey(name, position),
    UpdateExpression: 'REMOVE #item, #before',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#item': 'item', '#before': 'before' },
  });

/** Reads entries latest first. Eventually consistent: replicas lag less than `on-change`, which writes the entries. */
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
    entries.push(...(await parseShown(Items)));
    if (entries.length >= limit) break;
  }
  return entries.slice(0, limit);
}

/** Reads the last logged version of a user. Undefined if it has expired, or if an erasure was requested. */
export async function readLastVersion(id: string): Promise<User | undefined> {
  for (const epoch of (await readEpochs()).toReversed()) {
    const [entry] = await readLatestEntries(userTopic(id, epoch), undefined, 1);
    const { before, after } = entry ? parseVersions(entry) : {};
    if (after ?? before) return after ?? before;
  }
  return undefined;
}
