import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Actor } from '../../auth/caller.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { writeIf } from '../../dynamodb/conditional.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { Backoff } from '../../dynamodb/requests.ts';
import { type TransactItem, transact } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { mapParallel } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import type { ChangeEntry } from './entry.ts';
import { storeOwnEpoch } from './epochs.ts';
import { changeKey, changeLogHeadKey } from './keys.ts';
import {
  createOrderItem,
  findEntrySeconds,
  type LogEnd,
  RETENTION_SECONDS,
  readLogEnd,
  readOrder,
} from './order-log.ts';
import { EPOCH, findTopic, formatPosition } from './topics.ts';

export type Change = {
  kind: ChangeEntry['kind'];
  id: string;
  /** ISO 8601, by the writer's clock. */
  at: string;
  /** When the write reached the stream, by DynamoDB's clock, in ms. Rounded down, so it may be before the write. */
  streamedAt: number;
  /** Null if unknown. */
  by: Actor | null;
  version: number;
  /** Id of the user that a deleted user was merged into. */
  mergedInto?: string;
  /** Null after a deletion. */
  item: Item | null;
  /** Attributes that an update replaced (null if absent before), or all attributes of a deleted item. */
  before?: Item | undefined;
  /** Sequence number of the table's stream. A later change of the same item has a higher one. */
  sequence: string;
};

/** The end of the order log as of its last read, which another appender may have moved since. */
export type CachedEnd = LogEnd & { isEpochStored?: boolean };

export type Failures = Map<Change, unknown>;

const CACHED_MS = 60_000;

/**
 * Appends changes in order to the logs of their users and authors, then to the order log. Skips changes that are
 * already logged and, after a failure, later changes of the same log. Updates `end`.
 */
export async function appendChanges(changes: Change[], end: CachedEnd): Promise<Failures> {
  const failures: Failures = new Map();
  try {
    // Store the epoch before writing the first entry. A table restored to any later second then contains the epoch, so
    // it finds all entries.
    if (!end.isEpochStored) await storeOwnEpoch();
    end.isEpochStored = true;
    // Repeated changes are searched from this end, so keep it recent.
    if (environment.now() - end.at > CACHED_MS) Object.assign(end, await readLogEnd());
    // Work on a copy: parallel invocations may move the shared end past entries that this one has not read.
    const start = { number: end.number, at: end.at };
    const puts = await putEntries(changes, start.number, failures);
    const reached = await appendRefs(puts, start);
    if (reached.number > end.number) Object.assign(end, reached);
  } catch (error) {
    for (const change of changes) if (!failures.has(change)) failures.set(change, error);
  }
  return failures;
}

/** `searchFrom`: only order-log entries after this number can name the change. */
type EntryPut = { change: Change; isRepeated: boolean; searchFrom: number };

/** Writes entries in order, because readers continue after the last entry they see. */
async function putEntries(changes: Change[], searchFrom: number, failures: Failures): Promise<EntryPut[]> {
  const puts = new Map<Change, EntryPut>();
  const logs = Map.groupBy(changes, ({ id }) => findTopic(id).name);
  await mapParallel([...logs.values()], async (logChanges) => {
    for (const change of logChanges)
      try {
        puts.set(change, await putEntry(change, searchFrom));
      } catch (error) {
        failures.set(change, error);
        return;
      }
  });
  return changes.flatMap((change) => puts.get(change) ?? []);
}

/**
 * Puts the entry with its personal data, which the order log lacks. A redelivered stream record has the same key, so it
 * adds no entry.
 */
async function putEntry(change: Change, searchFrom: number): Promise<EntryPut> {
  const { sequence, ...attributes } = change;
  const expiresAt = Math.floor(environment.now() / 1000) + findEntrySeconds();
  const key = changeKey(findTopic(change.id).name, sequence);
  const { failure } = await writeIf('Put', {
    Item: { ...key, ...attributes, searchFrom, expiresAt },
    ConditionExpression: 'attribute_not_exists(pk)',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  return failure
    ? { change, isRepeated: true, searchFrom: Number(failure.item?.searchFrom ?? 0) }
    : { change, isRepeated: false, searchFrom };
}

type Missing = Map<string, Change>;

const formatChangeId = ({ id, sequence }: Pick<Change, 'id' | 'sequence'>) => `${id} ${sequence}`;

/** Names the changes in the order log. Returns the new end. */
async function appendRefs(puts: EntryPut[], start: LogEnd): Promise<LogEnd> {
  const missing: Missing = new Map(puts.map(({ change }) => [formatChangeId(change), change]));
  let end = start;
  // The order log may already name repeated changes, but no entry that this call has put.
  const repeated = puts.filter(({ isRepeated }) => isRepeated).map(({ change }) => change);
  if (repeated.length > 0)
    end = await dropNamed(missing, repeated, Math.min(...puts.map(({ searchFrom }) => searchFrom)), end);
  const backoff = new Backoff();
  while (missing.size > 0) {
    const changes = [...missing.values()].slice(0, sizes.changesPerEntry);
    const appended = isAppendable(end) ? await putNext(changes, end) : await startRun(changes);
    if (appended) {
      end = appended;
      for (const change of changes) missing.delete(formatChangeId(change));
      backoff.reset();
    } else {
      // Drop changes that are in the log by now: another appender was faster, or our own request succeeded without an
      // answer.
      end = await dropNamed(missing, changes, end.number, end);
      if (missing.size > 0) await backoff.pause();
    }
  }
  return end;
}

/**
 * Deletes the changes that entries after `after` name from `missing`. Returns the later of `end` and the last entry
 * read. Stops once all `sought` changes are found: other shards may have appended for hours after them.
 */
async function dropNamed(missing: Missing, sought: Change[], after: number, end: LogEnd): Promise<LogEnd> {
  let last = end;
  for await (const entries of readOrder(formatPosition(after), { ConsistentRead: true })) {
    for (const { number, at, refs } of entries) {
      if (number > last.number) last = { number, at };
      for (const ref of refs) missing.delete(formatChangeId(ref));
    }
    if (!sought.some((change) => missing.has(formatChangeId(change)))) break;
  }
  return last;
}

/** False if the last entry may expire soon: the next number would then be unknown. */
const isAppendable = ({ at }: Pick<LogEnd, 'at'>): boolean => environment.now() - at < RETENTION_SECONDS * 1000;

/**
 * Appends with the next number. Numbers are dense, so only one parallel appender succeeds. Returns undefined for the
 * others.
 */
async function putNext(changes: Change[], end: LogEnd): Promise<LogEnd | undefined> {
  const next = { number: end.number + 1, at: Math.max(end.at, environment.now()) };
  const Item = createOrderItem(next, end.number, changes);
  const { failure } = await writeIf('Put', { Item, ConditionExpression: 'attribute_not_exists(pk)' });
  return failure ? undefined : next;
}

/**
 * Starts a run of dense numbers, if the log is empty or its entries may be expiring in any order. The last number may
 * be lost and must not be reused, so numbering restarts at the current time in ms, which rises faster. The condition on
 * the head lets only one Lambda environment start the run. An empty entry after the former run leads its readers to the
 * new one. Returns undefined if another environment was faster.
 */
async function startRun(changes: Change[]): Promise<LogEnd | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: changeLogHeadKey(EPOCH), ConsistentRead: true }));
  const head = { number: Number(Item?.number ?? 0), at: Number(Item?.at ?? 0) };
  // Read the end after the head: if another run starts in between, the condition on the head fails.
  const end = await readLogEnd();
  if (isAppendable(end)) return undefined;
  // A query may see another environment's transaction without its first entry, until all of its items are visible.
  if (isAppendable(head) && end.number < head.number) return undefined;
  const now = environment.now();
  const first = { number: Math.max(now, head.number + 1, end.number + 2), at: Math.max(end.at, now) };
  const { failures } = await transact({
    head: headItem(first, head.number),
    // Keeps the old time: an environment that sees this entry, but not yet the new run, must not append after it.
    closing:
      end.number > 0 ? newItem(createOrderItem({ number: end.number + 1, at: end.at }, end.number, [])) : undefined,
    first: newItem(createOrderItem(first, 0, changes)),
  });
  return failures ? undefined : first;
}

const headItem = (first: LogEnd, read: number): TransactItem => ({
  Put: {
    TableName,
    Item: { ...changeLogHeadKey(EPOCH), ...first },
    ...(read === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: '#number = :read',
          ExpressionAttributeNames: { '#number': 'number' },
          ExpressionAttributeValues: { ':read': read },
        }),
  },
});

const newItem = (Item: Item): TransactItem => ({
  Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' },
});
