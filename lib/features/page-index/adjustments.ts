import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import type { Key } from '../../dynamodb/keys.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { sizes } from '../../sizes.ts';
import type { Deletion, ReturningUser } from '../../users/deletion-record.ts';
import { firstAdjustmentKey, parseAdjustmentKey, returnKey, tombstoneKey } from './keys.ts';
import { ADJUSTMENT_RETENTION_MS, SETTLING_MS } from './timing.ts';

/** A user was deleted (-1), or created under the id of a deleted user (+1). `time` in ms. */
export type Adjustment = { time: number; id: string; version: number; delta: 1 | -1 };

export const tombstone = ({ user }: Deletion): TransactItem[] => [
  adjustmentItem((time) => tombstoneKey(time, user.id, user.version + 1), user.updatedAt),
];

export const userReturn = ({ user, deletion }: ReturningUser): TransactItem[] => [
  adjustmentItem((time) => returnKey(time, user.id, user.version), deletion?.at),
];

/** Maximum clock difference between two Lambda environments. */
const MAX_CLOCK_SKEW_MS = 5_000;

/**
 * Creates an adjustment with the current time: create it again for each attempt of the transaction. A user's last
 * adjustment decides if the user counts, so it must be later than the user's last change, even if clocks differ.
 */
function adjustmentItem(createKey: (milliseconds: number) => Key, lastChangedAt: string | undefined): TransactItem {
  const now = environment.now();
  const next = Date.parse(lastChangedAt ?? '') + 1;
  // Imported users, and users deleted by hand, may have any time: ignore times too far in the future.
  const time = next > now && next <= now + MAX_CLOCK_SKEW_MS ? next : now;
  const expiresAt = Math.ceil((time + ADJUSTMENT_RETENTION_MS) / 1000);
  return { Put: { TableName, Item: { ...createKey(time), expiresAt } } };
}

type Period = { after: number; upTo?: number };

export type Adjustments = { adjustments: Adjustment[]; isComplete: boolean };

type ReadOptions = Pick<QueryCommandInput, 'ConsistentRead' | 'ScanIndexForward'> & { maxItems?: number };

/** Sorts after every adjustment. */
const END = '~';

async function queryAdjustments(
  { after, upTo }: Period,
  { maxItems, ...reading }: ReadOptions = {},
): Promise<Adjustments> {
  const adjustments: Adjustment[] = [];
  const { pk, sk: from } = firstAdjustmentKey(Math.max(0, after) + 1);
  const to = upTo === undefined ? END : firstAdjustmentKey(upTo + 1).sk;
  if (from > to) return { adjustments, isComplete: true };
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to },
    ProjectionExpression: 'sk',
    Limit: maxItems,
    ...reading,
  };
  for await (const { Items = [], LastEvaluatedKey } of paginateQuery({ client: table }, query)) {
    adjustments.push(...Items.map(({ sk }) => parseAdjustmentKey(sk)));
    if (maxItems !== undefined && adjustments.length >= maxItems) return { adjustments, isComplete: !LastEvaluatedKey };
  }
  return { adjustments, isComplete: true };
}

/** Reads consistently. A result cut off by the size limit still has all adjustments of its last millisecond. */
export async function readAdjustments(period: Period): Promise<Adjustments> {
  const read = await queryAdjustments(period, { maxItems: sizes.adjustments, ConsistentRead: true });
  const last = read.adjustments.at(-1);
  if (read.isComplete || !last) return read;
  const lastMillisecond = { after: last.time - 1, upTo: last.time };
  const { adjustments } = await queryAdjustments(lastMillisecond, { ConsistentRead: true });
  return {
    adjustments: [...read.adjustments.filter(({ time }) => time < last.time), ...adjustments],
    isComplete: false,
  };
}

/**
 * Readers always read adjustments up to this age. Older ones are in the blocks, unless the indexer is down: it runs
 * once a minute, and settling and replication take 16 s.
 */
const RECENT_MS = 90_000;

/**
 * Reads recent adjustments in parallel with the top-level blocks, and older ones if `foldedUpTo` shows that they are
 * not folded. Pages are therefore correct even if the indexer is down.
 */
export async function readPendingAdjustments(topLevel: Promise<{ foldedUpTo: number }>): Promise<Adjustment[]> {
  const start = environment.now() - RECENT_MS;
  const [recent, { foldedUpTo }] = await Promise.all([
    queryAdjustments({ after: start }, { maxItems: sizes.recentAdjustments, ScanIndexForward: false }),
    topLevel,
  ]);
  const readFrom = recent.isComplete ? start : (recent.adjustments.at(-1)?.time ?? start);
  // Start SETTLING_MS earlier: skewed clocks may have swapped the times of a deletion and a return, and both are
  // needed.
  const neededFrom = recent.isComplete ? foldedUpTo : Math.min(foldedUpTo, readFrom - SETTLING_MS);
  if (readFrom <= neededFrom) return recent.adjustments;
  const older = await queryAdjustments({ after: neededFrom, upTo: readFrom });
  // Merge both reads, because the second may hit a replica that lacks the oldest recent adjustments.
  const known = new Set(recent.adjustments.map(formatAdjustment));
  return [...recent.adjustments, ...older.adjustments.filter((each) => !known.has(formatAdjustment(each)))];
}

const formatAdjustment = ({ time, id, version }: Adjustment): string => `${time} ${id} ${version}`;

export const sumDeltas = (adjustments: Adjustment[]): number => adjustments.reduce((sum, { delta }) => sum + delta, 0);

/**
 * Finds the last change per user. `unclear`: a deletion and a return are so close that skewed clocks or a slow request
 * may have swapped them.
 */
export function findLastChanges(adjustments: Adjustment[]): Map<string, 'deleted' | 'returned' | 'unclear'> {
  const last = new Map<string, Adjustment>();
  for (const each of adjustments) {
    const other = last.get(each.id);
    if (!other || each.time > other.time || (each.time === other.time && each.version > other.version))
      last.set(each.id, each);
  }
  const unclear = adjustments.filter(({ id, time, delta }) => {
    const other = last.get(id);
    return other && other.delta !== delta && other.time - time <= SETTLING_MS;
  });
  return new Map([
    ...[...last].map(([id, { delta }]) => [id, delta > 0 ? 'returned' : 'deleted'] as const),
    ...unclear.map(({ id }) => [id, 'unclear'] as const),
  ]);
}

/**
 * Lists deleted users that the directory may still show. Excludes unclear users: the directory is more reliable for
 * them.
 */
export const listDeleted = (adjustments: Adjustment[]): Set<string> =>
  new Set([...findLastChanges(adjustments)].flatMap(([id, change]) => (change === 'deleted' ? id : [])));
