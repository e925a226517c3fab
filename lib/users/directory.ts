import { paginateQuery, QueryCommand, type QueryCommandInput, type QueryCommandOutput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { skipDamaged } from '../dynamodb/damaged-items.ts';
import { DIRECTORY, parseUserId, userKey } from '../dynamodb/keys.ts';
import { sizes } from '../sizes.ts';
import { parseUser, type User } from './user.ts';

/** `asc`: oldest first. */
export type Order = 'asc' | 'desc';

/** A list starts after this id. The user may have been deleted. Undefined starts with the first user. */
export type StartAfter = string | undefined;

const directoryQuery = (startAfter: StartAfter, lastId?: string): QueryCommandInput => ({
  TableName,
  IndexName: 'directory',
  KeyConditionExpression: lastId ? 'directory = :directory AND pk <= :lastId' : 'directory = :directory',
  ExpressionAttributeValues: { ':directory': DIRECTORY, ...(lastId ? { ':lastId': userKey(lastId).pk } : {}) },
  ExclusiveStartKey: startAfter ? { directory: DIRECTORY, ...userKey(startAfter) } : undefined,
});

/**
 * Receives the cost of each read, at least 1. One item costs half a read unit: a user of up to 4 KB, or 70 keys. Negative
 * items release a reservation. May throw to stop.
 */
export type OnRead = (items: number) => void;

type Items = NonNullable<QueryCommandOutput['Items']>;

/** `ids` also contains damaged users, who are not in `users`. */
export type Segment = { ids: string[]; users: User[]; more: boolean };

const EMPTY: Segment = { ids: [], users: [], more: false };

const toSegment = (items: Items, more: boolean): Segment => ({
  ids: items.map(({ pk }) => parseUserId(pk)),
  users: skipDamaged(items, parseUser),
  more,
});

/** `deleted`: users to skip, because the eventually consistent GSI may still return them. */
type Selection = { deleted?: ReadonlySet<string> };
/** `offset` requires the order `asc`. */
type Skip = Selection & { offset?: number; order?: Order };

export async function queryUsers(
  startAfter: StartAfter,
  limit: number,
  { offset = 0, deleted = new Set(), order = 'asc' }: Skip = {},
): Promise<Segment> {
  if (offset > sizes.inlineSkip) {
    const start = await skipUsers(startAfter, offset, { deleted });
    return start === null ? EMPTY : queryUsers(start, limit, { deleted });
  }
  const wanted = offset + limit;
  const query = { ...directoryQuery(startAfter), ScanIndexForward: order === 'asc' };
  const items = await readOneMoreThan(wanted, query, deleted);
  return toSegment(items.slice(offset, wanted), items.length > wanted);
}

/** The additional item shows that more users follow. */
async function readOneMoreThan(count: number, query: QueryCommandInput, deleted?: ReadonlySet<string>): Promise<Items> {
  const items: Items = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, { ...query, Limit: count + 1 })) {
    items.push(...Items.filter(({ pk }) => !deleted?.has(parseUserId(pk))));
    if (items.length > count) break;
  }
  return items;
}

/** Ids: `from` is inclusive, `to` exclusive. */
export type CreationRange = { from?: string | undefined; to?: string | undefined };

/** Finds where a list starts in a range. `after` may be outside of the range. Null if nothing follows. */
export function findStartIn({ from, to }: CreationRange, after: string | undefined, order: Order): StartAfter | null {
  if (from !== undefined && to !== undefined && from >= to) return null;
  if (after === undefined) return undefined;
  const isBefore = from !== undefined && after < from;
  const isPast = to !== undefined && after >= to;
  if (order === 'asc') return isPast ? null : isBefore ? undefined : after;
  return isBefore ? null : isPast ? undefined : after;
}

export async function queryUsersIn(
  range: CreationRange,
  after: StartAfter,
  limit: number,
  order: Order,
): Promise<Segment> {
  const start = findStartIn(range, after, order);
  if (start === null) return EMPTY;
  const query = {
    ...directoryQuery(start),
    ScanIndexForward: order === 'asc',
    KeyConditionExpression: 'directory = :directory AND pk BETWEEN :from AND :to',
    ExpressionAttributeValues: {
      ':directory': DIRECTORY,
      ':from': userKey(range.from ?? FIRST).pk,
      // BETWEEN includes its end, but `range.to` is only the beginning of an id.
      ':to': userKey(range.to ?? LAST).pk,
    },
  };
  const items = await readOneMoreThan(limit, query);
  return toSegment(items.slice(0, limit), items.length > limit);
}

/** Ids are hexadecimal: they sort between these texts. */
const FIRST = '';
const LAST = 'g';

/** Returns ids up to and including `lastId`. `onRead` may throw to stop. */
export async function queryUserIds(
  { startAfter, lastId }: { startAfter: StartAfter; lastId?: string },
  limit = Number.POSITIVE_INFINITY,
  onRead: OnRead = () => {},
): Promise<string[]> {
  const ids: string[] = [];
  const Limit = Number.isFinite(limit) ? limit : undefined;
  const query = { ...directoryQuery(startAfter, lastId), Limit, ProjectionExpression: 'pk' };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) {
    onRead(Items.length);
    ids.push(...Items.map(({ pk }) => parseUserId(pk)));
    if (ids.length >= limit) break;
  }
  return ids.slice(0, limit);
}

/** Returns the last skipped user. Null if no user follows. Consumes reads for all skipped users. */
export async function skipUsers(
  startAfter: StartAfter,
  distance: number,
  { deleted = new Set() }: Selection = {},
): Promise<StartAfter | null> {
  // Reads ids only to subtract deleted users.
  const output: Partial<QueryCommandInput> = deleted.size > 0 ? { ProjectionExpression: 'pk' } : { Select: 'COUNT' };
  let [last, left] = [startAfter, distance];
  while (left > 0) {
    const query = { ...directoryQuery(last), ...output, Limit: Math.min(left, sizes.skip) };
    const { Items = [], Count = 0, LastEvaluatedKey } = await table.send(new QueryCommand(query));
    if (!LastEvaluatedKey) return null;
    last = parseUserId(LastEvaluatedKey.pk);
    left -= Count - Items.filter(({ pk }) => deleted.has(parseUserId(pk))).length;
  }
  return last;
}
