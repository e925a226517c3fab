import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Actor } from '../../auth/caller.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf, putItemIfMissing } from '../../dynamodb/conditional.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { Backoff } from '../../dynamodb/requests.ts';
import { type TransactItem, transact } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { mapParallel } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import { listOwnEpoch } from './epochs.ts';
import { changeKey, changeLogHeadKey } from './keys.ts';
import {
  createOrderItem,
  findReachSeconds,
  type Kind,
  type LogEnd,
  RETENTION_SECONDS,
  readLogEnd,
  readOrder,
} from './order-log.ts';
import { EPOCH, findTopic, formatPosition } from './topics.ts';

/** A change of a user or a post. */
export type Change = {
  kind: Kind;
  /** The id of the user or post. */
  id: string;
  /** The time of the write by the writer's clock, in ISO 8601. */
  at: string;
  /** The time when the write reached the stream by DynamoDB's clock, in ms, rounded down. The write is not older. */
  streamedAt: number;
  /** The writer. Null if the item does not name it. */
  by: Actor | null;
  /** The write made this version. */
  version: number;
  /** The stored item after the change. Null after a deletion. */
  item: Item | null;
  /** The attributes that an update replaced, null where there was none before. All attributes of a deleted item. */
  before?: Item | undefined;
  /** The sequence number of the change in the table's stream. Rises from each change of an item to the next. */
  sequence: string;
};

/** What an environment remembers of the log. */
export type Remembered = LogEnd & { isEpochListed?: boolean };

/** The changes that were not appended, with their errors. */
export type Failures = Map<Change, unknown>;

/** An environment appends after the end that it remembers for this long, without looking for a later one. */
const REMEMBERED_MS = 60_000;

/**
 * Appends changes, in their order, to the logs of their users and authors, and then to the order log. Skips changes that are
 * already there. After a change that failed, later ones of its log are not appended. `end` is the end of the order log that
 * the environment remembers. Other environments append, too, so it may be old.
 */
export async function appendChanges(changes: Change[], end: Remembered): Promise<Failures> {
  const failures: Failures = new Map();
  try {
    // Before the first entry, so that a restore to any second finds all of them.
    if (!end.isEpochListed) await listOwnEpoch();
    end.isEpochListed = true;
    // A repetition of these changes reads all that was appended after the end that is known now.
    if (environment.now() - end.at > REMEMBERED_MS) Object.assign(end, await readLogEnd());
    // Other invocations in the environment may move its end past entries that this one has not seen.
    const known = { number: end.number, at: end.at };
    const puts = await putEntries(changes, known.number, failures);
    await appendRefs(puts, known);
    if (known.number > end.number) Object.assign(end, known);
  } catch (error) {
    for (const change of changes) if (!failures.has(change)) failures.set(change, error);
  }
  return failures;
}

/** The result of putting an entry. The order log can name the change only after the number `searchFrom`. */
type EntryPut = { change: Change; isRepeated: boolean; searchFrom: number };

/** Puts the entries of each log one after another, because its readers go on from the last one that they see. */
async function putEntries(changes: Change[], searchFrom: number, failures: Failures): Promise<EntryPut[]> {
  const puts = new Map<Change, EntryPut>();
  const logs = Map.groupBy(changes, ({ id }) => findTopic(id).name);
  await mapParallel([...logs.values()], async (ofLog) => {
    for (const change of ofLog)
      try {
        puts.set(change, await putEntry(change, searchFrom));
      } catch (error) {
        failures.set(change, error);
        return;
      }
  });
  return changes.flatMap((change) => puts.get(change) ?? []);
}

/** Entries live longer than subscribers may resume, so that none disappears while it is read. */
const MARGIN_SECONDS = 3600;

/** Entries live as long as the records of deletions: the history shows a deleted user for two days. */
const MIN_ENTRY_SECONDS = 48 * 3600;

/**
 * Puts the entry of a change into the log of its user or author. No other item of the log holds personal data. A change has
 * one key, however often the stream delivers it. `searchFrom` is the number of the last known entry of the order log: only
 * later ones can name a change whose entry is new.
 */
async function putEntry(change: Change, searchFrom: number): Promise<EntryPut> {
  const { sequence, ...attributes } = change;
  const retentionSeconds = Math.max(MIN_ENTRY_SECONDS, environment.historyDays * 24 * 3600);
  const expiresAt = Math.floor(environment.now() / 1000) + retentionSeconds + MARGIN_SECONDS;
  const key = changeKey(findTopic(change.id).name, sequence);
  const earlier = await putItemIfMissing({ ...key, ...attributes, searchFrom, expiresAt });
  return earlier
    ? { change, isRepeated: true, searchFrom: Number(earlier.searchFrom ?? 0) }
    : { change, isRepeated: false, searchFrom };
}

/** The changes that the order log does not name yet, by `formatKey`. */
type Missing = Map<string, Change>;

const formatKey = ({ id, sequence }: Pick<Change, 'id' | 'sequence'>) => `${id} ${sequence}`;

/** Appends the changes that the order log does not name yet, an entry in each turn, and moves `end`. */
async function appendRefs(puts: EntryPut[], end: LogEnd): Promise<void> {
  const missing: Missing = new Map(puts.map(({ change }) => [formatKey(change), change]));
  // Entries of changes are put before the order log names them: it cannot have named new ones up to its known end.
  if (puts.some(({ isRepeated }) => isRepeated))
    await dropNamed(missing, Math.min(...puts.map(({ searchFrom }) => searchFrom)), end);
  const backoff = new Backoff();
  while (missing.size > 0) {
    const changes = [...missing.values()].slice(0, sizes.changesPerEntry);
    const appended = isAppendable(end) ? await putNext(changes, end) : await startRun(changes);
    if (appended) {
      Object.assign(end, appended);
      for (const change of changes) missing.delete(formatKey(change));
      backoff.reset();
    } else {
      // Another appender came first, perhaps with the same changes. So did our own request if its answer was lost.
      await dropNamed(missing, end.number, end);
      if (missing.size > 0) await backoff.pause();
    }
  }
}

/** Drops the changes that the order log names after a number, and moves `end` to its last entry. */
async function dropNamed(missing: Missing, after: number, end: LogEnd): Promise<void> {
  for await (const entries of readOrder(formatPosition(after), { ConsistentRead: true }))
    for (const { number, at, refs } of entries) {
      if (number > end.number) Object.assign(end, { number, at });
      for (const ref of refs) missing.delete(formatKey(ref));
    }
}

/** False for an end that may expire soon: its number would be lost with it. */
const isAppendable = ({ at }: LogEnd): boolean => environment.now() - at < RETENTION_SECONDS * 1000;

/** Numbers are dense, so one of those who append after the same entry succeeds. Undefined for the others. */
async function putNext(changes: Change[], end: LogEnd): Promise<LogEnd | undefined> {
  const next = { number: end.number + 1, at: Math.max(end.at, environment.now()) };
  const Item = createEntry(next, end.number, changes);
  return (await putItemIf({ Item, ConditionExpression: 'attribute_not_exists(pk)' })) ? next : undefined;
}

/**
 * Appends to a log that is empty, or whose entries may have begun to expire in any order. Its last number may be gone, and
 * must not come again, so numbers go on from the time in ms, which rises faster. The head lets only one of several
 * environments do so. An entry without changes closes the part before, for those who still know its end. Undefined if
 * another environment came first.
 */
async function startRun(changes: Change[]): Promise<LogEnd | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: changeLogHeadKey(EPOCH), ConsistentRead: true }));
  const read = Number(Item?.number ?? 0);
  // Read after the head: if another run starts in between, the condition on the head fails.
  const end = await readLogEnd();
  if (isAppendable(end)) return undefined;
  const now = environment.now();
  const first = { number: Math.max(now, read + 1, end.number + 2), at: Math.max(end.at, now) };
  const { failures } = await transact({
    head: putHead(first.number, read),
    closing: end.number > 0 ? putNew(createEntry({ ...first, number: end.number + 1 }, end.number, [])) : undefined,
    first: putNew(createEntry(first, 0, changes)),
  });
  return failures ? undefined : first;
}

const putHead = (number: number, read: number): TransactItem => ({
  Put: {
    TableName,
    Item: { ...changeLogHeadKey(EPOCH), number },
    ...(read === 0
      ? { ConditionExpression: 'attribute_not_exists(pk)' }
      : {
          ConditionExpression: '#number = :read',
          ExpressionAttributeNames: { '#number': 'number' },
          ExpressionAttributeValues: { ':read': read },
        }),
  },
});

const putNew = (Item: Item): TransactItem => ({
  Put: { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' },
});

const createEntry = ({ number, at }: LogEnd, previous: number, refs: Change[]): Item => ({
  ...createOrderItem(number, previous, { at, refs }),
  expiresAt: Math.floor(environment.now() / 1000) + findReachSeconds() + MARGIN_SECONDS,
});
