import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { sizes } from '../../sizes.ts';
import type { Deletion } from '../../users/delete.ts';
import { parseTombstoneKey, tombstoneKey } from './keys.ts';
import { TOMBSTONE_RETENTION_MS } from './timing.ts';

/** The time at which a user was deleted, in milliseconds. */
export type Tombstone = { time: number; id: string };

/** The transaction that deletes a user puts a tombstone. */
export const tombstone = ({ user }: Deletion): TransactItem[] => [putTombstone(user.id)];

/** Each attempt needs a new one, as it holds the time. */
function putTombstone(id: string): TransactItem {
  const now = environment.now();
  const expiresAt = Math.ceil((now + TOMBSTONE_RETENTION_MS) / 1000);
  return { Put: { TableName, Item: { ...tombstoneKey(now, id), expiresAt } } };
}

/** The period is after one time, up to and including another. */
type Period = { after: number; upTo?: number };

/** `isComplete` is false when the period holds more than was read. */
export type Tombstones = { tombstones: Tombstone[]; isComplete: boolean };

type ReadOptions = Pick<QueryCommandInput, 'ConsistentRead' | 'ScanIndexForward'>;

async function query({ after, upTo }: Period, limit: number | undefined, reading: ReadOptions): Promise<Tombstones> {
  const tombstones: Tombstone[] = [];
  const { pk, sk: from } = tombstoneKey(Math.max(0, after) + 1);
  const to = upTo === undefined ? '~' : tombstoneKey(upTo + 1).sk;
  const input = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ProjectionExpression: 'sk',
    ...reading,
  };
  if (from > to) return { tombstones, isComplete: true };
  for await (const { Items = [], LastEvaluatedKey } of paginateQuery(
    { client: table, ...(limit === undefined ? {} : { pageSize: limit }) },
    input,
  )) {
    tombstones.push(...Items.map(({ sk }) => parseTombstoneKey(sk)));
    if (limit !== undefined && tombstones.length >= limit) return { tombstones, isComplete: !LastEvaluatedKey };
  }
  return { tombstones, isComplete: true };
}

/** The first tombstones of a period, as of the latest write, with all of the last millisecond. */
export async function readTombstones(period: Period): Promise<Tombstones> {
  const read = await query(period, sizes.tombstones, { ConsistentRead: true });
  const last = read.tombstones.at(-1);
  if (read.isComplete || !last) return read;
  const { tombstones } = await query({ after: last.time - 1, upTo: last.time }, undefined, { ConsistentRead: true });
  return {
    tombstones: [...read.tombstones.filter(({ time }) => time < last.time), ...tombstones],
    isComplete: false,
  };
}

/** All older tombstones are in the blocks if the indexer runs every minute, as settling and replication take 16 s. */
const RECENT_MS = 90_000;

/** The older ones are read in so many parts at once, each of the same time. */
const OLDER_PARTS = 8;

/**
 * The tombstones that blocks may not contain yet. The recent ones are read beside the top level, the others, if there
 * are any, once that has said up to when they are folded: however many there are, a page is right without the fold.
 */
export async function readPendingTombstones(topLevel: Promise<{ foldedUpTo: number }>): Promise<Tombstone[]> {
  const start = environment.now() - RECENT_MS;
  const [recent, { foldedUpTo }] = await Promise.all([
    query({ after: start }, sizes.recentTombstones, { ScanIndexForward: false }),
    topLevel,
  ]);
  const readFrom = recent.isComplete ? start : (recent.tombstones.at(-1)?.time ?? start);
  if (readFrom <= foldedUpTo) return recent.tombstones;
  const older = await Promise.all(
    splitPeriod(foldedUpTo, readFrom, OLDER_PARTS).map((part) => query(part, undefined, {})),
  );
  return [...recent.tombstones.filter(({ time }) => time > readFrom), ...older.flatMap(({ tombstones }) => tombstones)];
}

function splitPeriod(after: number, upTo: number, parts: number): Required<Period>[] {
  const ends = Array.from({ length: parts }, (_, part) => Math.floor(after + ((upTo - after) * (part + 1)) / parts));
  return ends
    .map((end, part) => ({ after: ends[part - 1] ?? after, upTo: end }))
    .filter((period) => period.upTo > period.after);
}

/** Finds those of a range without looking at all others: a directory has thousands of blocks, and tombstones come in masses. */
export class TombstonesById {
  readonly #sorted: Tombstone[];

  constructor(tombstones: Tombstone[]) {
    this.#sorted = tombstones.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0));
  }

  get size(): number {
    return this.#sorted.length;
  }

  selectInRange({ startAfter, lastId }: { startAfter: string; lastId: string }): Tombstone[] {
    return this.#sorted.slice(this.#countUpTo(startAfter), this.#countUpTo(lastId));
  }

  #countUpTo(id: string): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] as Tombstone).id <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
