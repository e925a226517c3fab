import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { parseTombstoneKey, tombstoneKey } from '../../dynamodb/keys.ts';
import type { TransactItem } from '../../dynamodb/transactions.ts';
import { environment } from '../../environment.ts';
import { unavailable } from '../../errors.ts';
import { sizes } from '../../sizes.ts';
import { TOMBSTONE_RETENTION_MS } from './timing.ts';

/** The time at which a user was deleted, in milliseconds. */
export type Tombstone = { time: number; id: string };

/** The transaction that deletes the user puts it. Each attempt needs a new one, as it holds the time. */
export function putTombstone(id: string): TransactItem {
  const now = environment.now();
  const expiresAt = Math.ceil((now + TOMBSTONE_RETENTION_MS) / 1000);
  return { Put: { TableName, Item: { ...tombstoneKey(now, id), expiresAt } } };
}

/** The period is after one time, up to and including another. */
type Period = { after: number; upTo?: number };

/** `isComplete` is false when the period holds more than was read. */
export type Tombstones = { tombstones: Tombstone[]; isComplete: boolean };

type ReadOptions = Pick<QueryCommandInput, 'ConsistentRead' | 'ScanIndexForward'>;

async function query({ after, upTo }: Period, limit: number, reading: ReadOptions): Promise<Tombstones> {
  const tombstones: Tombstone[] = [];
  const { pk, sk: from } = tombstoneKey(Math.max(0, after) + 1);
  const to = upTo === undefined ? '~' : tombstoneKey(upTo + 1).sk;
  const input = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ...reading,
  };
  if (from > to) return { tombstones, isComplete: true };
  for await (const { Items = [], LastEvaluatedKey } of paginateQuery({ client: table, pageSize: limit }, input)) {
    tombstones.push(...Items.map(({ sk }) => parseTombstoneKey(sk)));
    if (tombstones.length >= limit) return { tombstones, isComplete: !LastEvaluatedKey };
  }
  return { tombstones, isComplete: true };
}

const MAX_READ = 10_000;

/** The first tombstones of a period, as of the latest write. */
export const readTombstones = (period: Period, limit = MAX_READ): Promise<Tombstones> =>
  query(period, limit, { ConsistentRead: true });

/** All older tombstones are in the blocks if the indexer runs every minute, as settling and replication take 16 s. */
const RECENT_MS = 90_000;
const MAX_OLDER = 20_000;

/**
 * The tombstones that blocks may not contain yet. The recent ones are read beside the top level, the others, if there
 * are any, once that has said up to when they are folded. Throws SERVICE_UNAVAILABLE when there are too many.
 */
export async function readPendingTombstones(topLevel: Promise<{ foldedUpTo: number }>): Promise<Tombstone[]> {
  const start = environment.now() - RECENT_MS;
  const [recent, { foldedUpTo }] = await Promise.all([
    query({ after: start }, sizes.recentTombstones, { ScanIndexForward: false }),
    topLevel,
  ]);
  const readFrom = recent.isComplete ? start : (recent.tombstones.at(-1)?.time ?? start);
  if (readFrom <= foldedUpTo) return recent.tombstones;
  const older = await query({ after: foldedUpTo, upTo: readFrom }, MAX_OLDER, {});
  if (!older.isComplete) throw unavailable();
  return [...recent.tombstones.filter(({ time }) => time > readFrom), ...older.tombstones];
}
