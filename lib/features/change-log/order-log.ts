import { paginateQuery, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import type { ChangeEntry } from './entry.ts';
import { changeKey } from './keys.ts';
import { allUsers, formatPosition, MAX_POSITION, orderLog, queryAfter } from './topics.ts';

/** Maximum age of a cursor from which a subscriber resumes. */
export const RETENTION_SECONDS = 24 * 3600;

/** `userChanges` and `changedSince` reach at least this far back. `historyDays` may extend it. */
export const MIN_REACH_SECONDS = 25 * 3600;

export const findReachSeconds = (): number => Math.max(MIN_REACH_SECONDS, environment.historyDays * 24 * 3600);

/** `at`: time of the append, in ms. */
export type Ref = { kind: ChangeEntry['kind']; id: string; sequence: string; at: number };

/** `at` never decreases between entries. */
export type OrderEntry = { position: string; number: number; at: number; refs: Ref[] };

export type LogEnd = { number: number; at: number };

/** Stored as tuples, so that one write unit (1 KB) holds 14 refs. */
type StoredRef = [kind: Ref['kind'], id: string, sequence: string];

const formatRef = ({ kind, id, sequence }: Omit<Ref, 'at'>): StoredRef => [kind, id, sequence.replace(/^0+/, '')];

/** Added to the retention, because an entry must not expire while a subscriber reads it. */
export const MARGIN_SECONDS = 3600;

/** Minimum retention: two days, like deletion records, because the history shows a deleted user for that long. */
const MIN_ENTRY_SECONDS = 48 * 3600;

/** Time to keep the entries of users and authors. */
export const findEntrySeconds = (): number =>
  Math.max(MIN_ENTRY_SECONDS, environment.historyDays * 24 * 3600) + MARGIN_SECONDS;

/** `previous`: number of the preceding entry, 0 at the start of a run. */
export const createOrderItem = ({ number, at }: LogEnd, previous: number, refs: Omit<Ref, 'at'>[]): Item => ({
  ...changeKey(allUsers.name, formatPosition(number)),
  previous,
  at,
  refs: refs.map(formatRef),
  expiresAt: Math.floor(environment.now() / 1000) + findReachSeconds() + MARGIN_SECONDS,
});

/** Avoids zod, to keep `on-change` small. Only `createOrderItem` makes these items. */
function parseOrderEntry(item: Item): OrderEntry & { previous: string } {
  const { sk, previous, at, refs } = item as { sk: string; previous: number; at: number; refs: StoredRef[] };
  return {
    position: sk,
    number: Number(sk),
    previous: formatPosition(previous),
    at,
    refs: refs.map(([kind, id, sequence]) => ({ kind, id, sequence: formatPosition(sequence), at })),
  };
}

const PAGE_SIZE = 100;
const BACKWARD_PAGE_SIZE = 20;

/** Eventually consistent reads may miss entries in the middle: stops before an entry with an unread predecessor. */
export async function* readOrder(
  after: string,
  { ConsistentRead = false, pageSize = PAGE_SIZE } = {},
): AsyncGenerator<OrderEntry[]> {
  let last = after;
  const query = { ...queryAfter(allUsers, after), ConsistentRead };
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize }, query)) {
    const page: OrderEntry[] = [];
    for (const { previous, ...entry } of Items.map(parseOrderEntry)) {
      if (!ConsistentRead && previous > last) {
        yield page;
        return;
      }
      page.push(entry);
      last = entry.position;
    }
    yield page;
  }
}

/**
 * Reads the order log of an epoch, latest first, from the entry at `from`. Eventually consistent: may miss entries of
 * the last second.
 */
export async function* readOrderBackwards(epoch: string, from: string): AsyncGenerator<OrderEntry[]> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk <= :from',
    ExpressionAttributeValues: { ':pk': changeKey(orderLog(epoch).name, from).pk, ':from': from },
    ScanIndexForward: false,
  };
  for await (const { Items = [] } of paginateQuery({ client: table, pageSize: BACKWARD_PAGE_SIZE }, query))
    yield Items.map(parseOrderEntry);
}

export async function readLogEnd(): Promise<LogEnd> {
  const last = await findLastBefore(MAX_POSITION);
  return last ? { number: last.number, at: last.at } : { number: 0, at: 0 };
}

/**
 * Finds the position before the first entry at or after `time` (in ms). Doubles the steps back from the end, then
 * bisects.
 */
export async function findOrderPosition(time: number): Promise<string> {
  const end = await readLogEnd();
  if (end.at < time) return formatPosition(end.number);
  // Invariant: entries from number `late` on are at or after `time`, entries up to number `early` are before `time`.
  let [late, early] = [end.number, 0];
  for (let step = 1; late - early > 1; step *= 2) {
    const middle = early > 0 ? early + Math.floor((late - early) / 2) : Math.max(1, late - step);
    const { number, at } = (await findFirstAfter(formatPosition(middle - 1))) ?? end;
    if (number < late) {
      if (at < time) early = number;
      else late = middle;
      continue;
    }
    const previous = await findLastBefore(formatPosition(late));
    if (!previous || previous.at < time) break;
    late = previous.number;
  }
  return formatPosition(late - 1);
}

const findFirstAfter = (position: string) => queryOne(queryAfter(allUsers, position));

const findLastBefore = (position: string) =>
  queryOne({
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk < :before',
    ExpressionAttributeValues: { ':pk': changeKey(allUsers.name, position).pk, ':before': position },
    ScanIndexForward: false,
  });

async function queryOne(query: QueryCommandInput): Promise<OrderEntry | undefined> {
  const { Items = [] } = await table.send(new QueryCommand({ ...query, ConsistentRead: true, Limit: 1 }));
  return Items[0] && parseOrderEntry(Items[0]);
}
