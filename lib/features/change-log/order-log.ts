import { paginateQuery, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { environment } from '../../environment.ts';
import { changeKey } from './keys.ts';
import { allUsers, formatPosition, MAX_POSITION, queryAfter } from './topics.ts';

export type Kind = 'CREATED' | 'UPDATED' | 'DELETED';

/** A subscriber may resume from a cursor for this long. */
export const RETENTION_SECONDS = 24 * 3600;

/** Pages of changes begin up to this long ago, or `historyDays` ago. */
export const MIN_REACH_SECONDS = 25 * 3600;

/** How long entries that are put now are kept, so that the changes of all users can be read. */
export const findReachSeconds = (): number => Math.max(MIN_REACH_SECONDS, environment.historyDays * 24 * 3600);

/** Refers to the entry of a change, which holds what was changed. `at` is the time of the append, in ms. */
export type Ref = { kind: Kind; id: string; sequence: string; at: number };

/** An entry of the order log. `at` never falls from one entry to the next. */
export type OrderEntry = { position: string; number: number; at: number; refs: Ref[] };

/** The last entry of the order log, as far as is known; the number is 0 if there is none. */
export type LogEnd = { number: number; at: number };

/** Stored in few bytes: the kind, the id and the sequence number. A unit of 1 KB holds 14 of them. */
type StoredRef = [Kind, string, string];

const formatRef = ({ kind, id, sequence }: Omit<Ref, 'at'>): StoredRef => [kind, id, sequence.replace(/^0+/, '')];

/** Each entry names the number of the one before it; the first of a run names 0. */
export const createOrderItem = (
  number: number,
  previous: number,
  content: { at: number; refs: Omit<Ref, 'at'>[] },
) => ({
  ...changeKey(allUsers.name, formatPosition(number)),
  previous,
  at: content.at,
  refs: content.refs.map(formatRef),
});

/** Parses without zod, as all of `on-change` does: only `append` writes these items. */
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

/** A page of the log, so that a reader who cannot go on yet has not read much. */
const PAGE_SIZE = 100;

/**
 * Reads the entries after a position, in order, in pages. Eventually consistent reads of entries may miss some between
 * others, so they end before an entry whose predecessor was not read: it is to come. A consistent read misses none.
 */
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

/** Reads the last entry, consistently. */
export async function readLogEnd(): Promise<LogEnd> {
  const last = await findLastBefore(MAX_POSITION);
  return last ? { number: last.number, at: last.at } : { number: 0, at: 0 };
}

/**
 * Finds the position before the first entry that was appended at a time or later, in ms: it steps back from the end, twice as
 * far each time, then halves the distance.
 */
export async function findOrderPosition(time: number): Promise<string> {
  const end = await readLogEnd();
  if (end.at < time) return formatPosition(end.number);
  // Entries from the number `late` on are not before the time, those up to `early` are.
  let [late, early] = [end.number, 0];
  for (let step = 1; late - early > 1; step *= 2) {
    const middle = early > 0 ? early + Math.floor((late - early) / 2) : Math.max(1, late - step);
    const { number, at } = (await findFirstAfter(formatPosition(middle - 1))) ?? end;
    if (number < late) {
      if (at < time) early = number;
      else late = middle;
      continue;
    }
    // Numbers leap where the log began again after a pause.
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
