import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { AGAIN, type Again, retryOnConflict } from '../../dynamodb/requests.ts';
import { type TransactItem, transact } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { mapParallel } from '../../parallel.ts';
import { sizes } from '../../sizes.ts';
import { type Change, type EntryPut, findReachSeconds, MARGIN_SECONDS, putEntry, RETENTION_SECONDS } from './change.ts';
import { listOwnEpoch } from './epochs.ts';
import { changeLogHeadKey } from './keys.ts';
import { createOrderItem, type LogEnd, readLogEnd, readOrder } from './order-log.ts';
import { EPOCH, findTopic, formatPosition } from './topics.ts';

/** What an environment remembers of the log. */
export type Remembered = LogEnd & { isEpochListed?: boolean };

/** Why changes could not be appended. */
export type Failures = Map<Change, unknown>;

/**
 * Appends changes, in their order, to the logs of their users and authors, and to the order log; those that are there
 * already are left out. After one that failed, the later ones of its log are not appended. `end` is what an environment
 * remembers of the end of the order log: it may be old, as other environments append, too.
 */
export async function appendChanges(changes: Change[], end: Remembered): Promise<Failures> {
  const failures: Failures = new Map();
  try {
    // Before the first entry, so that a restore to any second finds all of them.
    if (!end.isEpochListed) await listOwnEpoch();
    end.isEpochListed = true;
    // A repetition of these changes reads all that was appended after the end that is known now.
    if (environment.now() - end.at > REMEMBERED_MS) Object.assign(end, await readLogEnd());
    // Other invocations in the environment may move its end on, past entries that this one has not seen.
    const known = { number: end.number, at: end.at };
    await appendRefs(await putEntries(changes, known.number, failures), known);
    if (known.number > end.number) Object.assign(end, known);
  } catch (error) {
    for (const change of changes) if (!failures.has(change)) failures.set(change, error);
  }
  return failures;
}

/** An environment appends after the end that it remembers for so long, without looking for a later one. */
const REMEMBERED_MS = 60_000;

type Put = EntryPut & { change: Change };

/** Puts the entries of each log one after another, because its readers go on from the last that they see. */
async function putEntries(changes: Change[], searchFrom: number, failures: Failures): Promise<Put[]> {
  const puts = new Map<Change, Put>();
  const logs = Map.groupBy(changes, ({ id }) => findTopic(id).name);
  await mapParallel([...logs.values()], async (ofLog) => {
    for (const change of ofLog)
      try {
        puts.set(change, { change, ...(await putEntry(change, searchFrom)) });
      } catch (error) {
        failures.set(change, error);
        return;
      }
  });
  return changes.flatMap((change) => puts.get(change) ?? []);
}

/** The changes that are to be appended to the order log, by their keys, and the last entry that was read of it. */
type Appending = { missing: Map<string, Change>; end: LogEnd };

const formatKey = ({ id, sequence }: Pick<Change, 'id' | 'sequence'>) => `${id} ${sequence}`;

/** Appends what is not in the order log yet, in its order, and moves `end` on. */
async function appendRefs(puts: Put[], end: LogEnd): Promise<void> {
  const appending = { missing: new Map(puts.map(({ change }) => [formatKey(change), change])), end };
  // The entry of a change is put before what refers to it: new ones cannot be in the part of the log that was known then.
  if (puts.some(({ isRepeated }) => isRepeated))
    await readOn(appending, Math.min(...puts.map(({ searchFrom }) => searchFrom)));
  while (appending.missing.size > 0) await retryOnConflict(() => appendNext(appending));
}

/** Drops what is in the order log after a number, up to its end. */
async function readOn({ missing, end }: Appending, after: number): Promise<void> {
  for await (const entries of readOrder(formatPosition(after), { ConsistentRead: true }))
    for (const { number, at, refs } of entries) {
      if (number > end.number) Object.assign(end, { number, at });
      for (const ref of refs) missing.delete(formatKey(ref));
    }
}

/** Appends one entry. If another appender was first, that may have appended the same changes; so may a request whose answer was lost. */
async function appendNext(appending: Appending): Promise<undefined | Again> {
  const { missing, end } = appending;
  const changes = [...missing.values()].slice(0, sizes.changesPerEntry);
  const { number } = end;
  const next = isAppendable(end) ? await putNext(changes, end) : await startRun(changes);
  if (next) {
    Object.assign(end, next);
    for (const change of changes) missing.delete(formatKey(change));
    return undefined;
  }
  await readOn(appending, number);
  return missing.size > 0 ? AGAIN : undefined;
}

/** Later, the last entry may expire, and its number with it. */
const isAppendable = ({ at }: LogEnd): boolean => environment.now() - at < RETENTION_SECONDS * 1000;

/** Numbers are dense, so of those who append after the same entry one succeeds. */
async function putNext(changes: Change[], end: LogEnd): Promise<LogEnd | undefined> {
  const next = { number: end.number + 1, at: Math.max(end.at, environment.now()) };
  const Item = createEntry(next, end.number, changes);
  return (await putItemIf({ Item, ConditionExpression: 'attribute_not_exists(pk)' })) ? next : undefined;
}

/**
 * Appends to a log that is empty, or whose entries may have begun to expire, in any order: its last number may be gone, and
 * must not come again. So numbers go on from the time in ms, which rises faster. The head lets only one of several
 * environments do so, and an entry without changes ends the part before, for those who still know its end.
 */
async function startRun(changes: Change[]): Promise<LogEnd | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: changeLogHeadKey(EPOCH), ConsistentRead: true }));
  const read = Number(Item?.number ?? 0);
  // It is read after the head: another that has started a run since then makes the condition fail.
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
