import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { isUserId, normalizeId } from '../../dynamodb/keys.ts';
import { decodeCursor, encodeCursor } from '../../input/cursor.ts';
import { DATE_FORM, isDate } from '../../input/time.ts';
import {
  type Criterion,
  type DriverQuery,
  type Found,
  findIdIssue,
  getUsersByIds,
  MAX_COUNT,
  type Sort,
} from '../../users/criteria.ts';
import { findStartIn, type Order } from '../../users/directory.ts';
import type { OwnField } from '../../users/fields/declaration.ts';
import type { OnRead } from '../../users/list.ts';
import type { User } from '../../users/user.ts';
import { requireCompleteList } from '../backfill/complete-lists.ts';
import { encodeSortText, listFilterTexts } from './entries.ts';
import {
  createFilterText,
  filterPartition,
  formatSortKey,
  parseSortKey,
  sortPartition,
  WITHOUT_VALUE,
} from './keys.ts';

/** Maximum users per page. Larger pages would exceed a request's time and budget, because each user is read by id. */
const MAX_PAGE = 100;

export type FilterValue = string | number | boolean;

/** Finds users in creation order. Throws SERVICE_UNAVAILABLE while a backfill completes the list. */
export function filterCriterion(field: OwnField, value: FilterValue): Criterion {
  const text = createFilterText(value);
  const matches = (user: User) => text !== undefined && listFilterTexts(user, field).includes(text);
  return {
    // Drops a text that no user can have, and invisible characters, because links repeat the value.
    parameters: { [field.name]: text ?? '' },
    matches,
    driver: {
      kind: 'filter',
      maxPage: MAX_PAGE,
      readsRange: true,
      findCursorIssue: findIdIssue,
      async find(query) {
        if (text === undefined) return NOBODY;
        const pk = filterPartition(field.name, text);
        const positions = await queryFilter(pk, query);
        return loadUsers(pk, positions, query, matches);
      },
    },
    async count(onRead) {
      if (text === undefined) return 0;
      const pk = filterPartition(field.name, text);
      const count = await countKeys(pk, onRead);
      await requireCompleteList(pk);
      return count;
    },
  };
}

/** Returns why no user can have the value, or undefined. */
export function findFilterIssue({ type, enum: choices }: OwnField, value: FilterValue): string | undefined {
  const text = createFilterText(value);
  if (choices && !choices.some((choice) => createFilterText(choice) === text))
    return `must be one of ${choices.join(', ')}`;
  if (type === 'date' && !isDate(String(value))) return DATE_FORM;
  return undefined;
}

const NOBODY: Found = { users: [], next: undefined };

type Position = { id: string; cursor: string };

async function queryFilter(pk: string, { after, limit, order, range }: DriverQuery): Promise<Position[]> {
  const start = findStartIn(range, after && normalizeId(after), order);
  if (start === null) return [];
  const keys = await queryKeys(pk, {
    from: range.from ?? FIRST,
    to: range.to ?? END,
    after: start,
    limit: limit + 1,
    order,
  });
  return keys.map((id) => ({ id, cursor: id }));
}

/** Sorts before all sort keys. DynamoDB rejects empty keys. */
const FIRST = ' ';
/** Sorts after all sort keys. */
const END = '\u{10FFFF}';

type KeyRange = { from: string; to: string; after: string | undefined; limit: number; order: Order };

async function queryKeys(pk: string, { from, to, after, limit, order }: KeyRange): Promise<string[]> {
  const query: QueryCommandInput = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ExclusiveStartKey: after === undefined ? undefined : { pk, sk: after },
    ScanIndexForward: order === 'asc',
    Limit: limit,
  };
  const keys: string[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) {
    keys.push(...Items.map(({ sk }) => String(sk)));
    if (keys.length >= limit) break;
  }
  return keys.slice(0, limit);
}

/** Counts keys. Undefined for more than MAX_COUNT keys. Eventually consistent. */
async function countKeys(pk: string, onRead: OnRead): Promise<number | undefined> {
  const query = { TableName, KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': pk } };
  let count = 0;
  for await (const { Count = 0 } of paginateQuery(
    { client: table, pageSize: MAX_COUNT + 1 },
    { ...query, Select: 'COUNT' },
  )) {
    onRead(Count);
    count += Count;
    if (count > MAX_COUNT) return undefined;
  }
  return count;
}

/** Loads the users of entries. Skips users who no longer match, because entries may be outdated. */
async function loadUsers(
  pk: string,
  positions: Position[],
  { limit, onRead }: DriverQuery,
  isCurrent: (user: User, cursor: string) => boolean,
): Promise<Found> {
  const page = positions.slice(0, limit);
  onRead(page.length);
  const [users] = await Promise.all([getUsersByIds(page.map(({ id }) => id)), requireCompleteList(pk)]);
  return {
    users: page.flatMap(({ id, cursor }) => {
      const user = users.get(id);
      return user && isCurrent(user, cursor) ? [{ user, cursor }] : [];
    }),
    next: positions.length > limit ? page.at(-1)?.cursor : undefined,
  };
}

/**
 * Sorts by name or a `sort` field. Users without a value come last in both orders. Throws SERVICE_UNAVAILABLE while a
 * backfill completes the list.
 */
export function sortCriterion(name: string): Criterion {
  const sort: Sort = {
    name,
    formatCursor: (user) => formatCursor(name, formatUserKey(user, name)),
    compare: (one, other, order) => compareKeys(formatUserKey(one, name), formatUserKey(other, name), order),
    isAfter: (user, cursor, order) =>
      compareKeys(formatUserKey(user, name), parseCursor(name, cursor) ?? '', order) > 0,
  };
  return {
    parameters: { sort: name },
    matches: () => true,
    sort,
    driver: {
      kind: 'sort',
      maxPage: MAX_PAGE,
      findCursorIssue: (after) =>
        parseCursor(name, after) === undefined
          ? `must be from a link to the next page of the list by ${name}`
          : undefined,
      async find(query) {
        const after = query.after === undefined ? undefined : parseCursor(name, query.after);
        const pk = sortPartition(name);
        const keys = await querySorted(pk, { after, limit: query.limit + 1, order: query.order });
        const positions = keys.map((sk) => ({ id: parseSortKey(sk).id, cursor: formatCursor(name, sk) }));
        return loadUsers(pk, positions, query, (user, cursor) => sort.formatCursor(user) === cursor);
      },
    },
  };
}

const formatUserKey = (user: User, name: string): string => formatSortKey(encodeSortText(user, name), user.id);

async function querySorted(pk: string, query: Pick<KeyRange, 'after' | 'limit' | 'order'>): Promise<string[]> {
  const { after, limit, order } = query;
  if (order === 'asc') return queryKeys(pk, { ...query, from: FIRST, to: END });
  const withoutValue = { order, limit, from: WITHOUT_VALUE, to: END };
  if (isWithoutValue(after)) return queryKeys(pk, { ...withoutValue, after });
  // The page where the users without a value begin needs keys of both kinds.
  const keys = await Promise.all([
    queryKeys(pk, { ...query, from: FIRST, to: WITHOUT_VALUE }),
    queryKeys(pk, { ...withoutValue, after: undefined }),
  ]);
  return keys.flat().slice(0, limit);
}

const isWithoutValue = (sk: string | undefined): boolean => sk?.startsWith(WITHOUT_VALUE) ?? false;

/** Compares keys by UTF-8 bytes, like DynamoDB. */
function compareKeys(one: string, other: string, order: Order): number {
  if (isWithoutValue(one) !== isWithoutValue(other)) return isWithoutValue(one) ? 1 : -1;
  const compared = Buffer.compare(Buffer.from(one), Buffer.from(other));
  return order === 'asc' ? compared : -compared;
}

const formatCursor = (name: string, sk: string): string => encodeCursor(`${name} ${sk}`);

function parseCursor(name: string, cursor: string): string | undefined {
  const content = decodeCursor(cursor) ?? '';
  const sk = content.startsWith(`${name} `) ? content.slice(name.length + 1) : '';
  const { text, id } = parseSortKey(sk);
  return isUserId(id) && formatSortKey(text, id) === sk ? sk : undefined;
}
