import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { writeIf } from '../../dynamodb/conditional.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { environment, timestamp } from '../../environment.ts';
import type { Job } from '../../maintenance/run.ts';
import { epochKey } from './keys.ts';
import { findReachSeconds } from './order-log.ts';
import { EPOCH } from './topics.ts';

/** Environments of the old release may run for this long after a deploy. */
const OVERLAP_MS = 3_600_000;

/**
 * Stores this table's epoch, by which a table restored from this one finds the former changes. Also stores the order
 * log's retention, which `historyDays` may change.
 */
export async function storeOwnEpoch(): Promise<void> {
  const Key = epochKey(EPOCH);
  const keptSeconds = findReachSeconds();
  // Reading first costs half as much as a conditional put that fails.
  const { Item } = await table.send(new GetCommand({ TableName, Key }));
  if (!Item) await putIfMissing({ ...Key, since: timestamp(), keptSeconds });
  else if (Item.keptSeconds !== keptSeconds) await updateKeptSeconds(keptSeconds, Item);
}

/** Stores the epoch of a table without changes, so that its log has a start. */
export const epochJob: Job = {
  name: 'changeLog',
  turnMs: 1_000,
  async *run() {
    if (environment.keepsChangeLog) await storeOwnEpoch();
    yield {};
  },
};

/** After an increase, only entries written from now on have the longer retention. */
async function updateKeptSeconds(keptSeconds: number, { keptSeconds: old = 0, keptSince = null }: Item): Promise<void> {
  const isLonger = keptSeconds > Number(old);
  await writeIf('Update', {
    Key: epochKey(EPOCH),
    UpdateExpression: 'SET keptSeconds = :kept, keptSince = :since',
    ExpressionAttributeValues: {
      ':kept': keptSeconds,
      ':since': isLonger ? new Date(environment.now() + OVERLAP_MS).toISOString() : keptSince,
    },
    ConditionExpression: 'attribute_exists(pk)',
  });
}

/** A gap is noted this long in advance, so that `on-change` does not write it with every batch. */
const NOTED_MS = 10_000;

/**
 * Notes that changes up to the returned time, in ms, are not logged. If the log is turned on again, cursors from before
 * this time would miss them.
 */
export async function noteGap(): Promise<number> {
  const gapUntil = environment.now() + NOTED_MS;
  await writeIf('Update', {
    Key: epochKey(EPOCH),
    UpdateExpression: 'SET gapUntil = :until',
    ExpressionAttributeValues: { ':until': gapUntil },
    // A log that has never been on has no epoch, and no cursors.
    ConditionExpression: 'attribute_exists(pk) AND (attribute_not_exists(gapUntil) OR gapUntil < :until)',
  });
  return gapUntil;
}

/** Returns the end of the last gap in ms, 0 without one. Eventually consistent, because a gap ends hours before. */
export async function readGapEnd(): Promise<number> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: epochKey(EPOCH) }));
  return Number(Item?.gapUntil ?? 0);
}

export async function storeEpoch(epoch: string, since: string): Promise<void> {
  await putIfMissing({ ...epochKey(epoch), since });
}

const putIfMissing = (Item: Item) => writeIf('Put', { Item, ConditionExpression: 'attribute_not_exists(pk)' });

export const parseEpoch = (pk: string): string | undefined => /^CHANGES#([^#]+)#(USER|POSTS)#/.exec(pk)?.[1];

/**
 * `keptSeconds` is 0 for former tables. Entries since `keptSince` have the full retention. The log may lack changes
 * before `gapUntil`, in ms.
 */
export type Epoch = { epoch: string; since: string; keptSeconds: number; keptSince?: string | null; gapUntil: number };

/** Only this file writes these items. */
type Stored = Pick<Epoch, 'since'> & Partial<Epoch>;

export async function readEpochItems(): Promise<Epoch[]> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': epochKey().pk },
    ConsistentRead: true,
  };
  const listed: Epoch[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    for (const { sk, ...stored } of Items)
      listed.push({ keptSeconds: 0, gapUntil: 0, ...(stored as Stored), epoch: sk });
  return listed;
}

/** Epochs of tables that this one was restored from, oldest first. */
async function readFormerEpochs(): Promise<string[]> {
  return (await readEpochItems())
    .filter(({ epoch }) => epoch !== EPOCH)
    .toSorted((one, other) => (one.since < other.since ? -1 : 1))
    .map(({ epoch }) => epoch);
}

export const readEpochs = async (): Promise<string[]> => [...(await readFormerEpochs()), EPOCH];

/** Epochs are cached for this time, because they change only during a restore, before functions use the table. */
const CACHED_MS = 10 * 60_000;

let known: { epochs: string[]; at: number } | undefined;

export async function readKnownFormerEpochs(): Promise<string[]> {
  if (!known || environment.now() - known.at > CACHED_MS)
    known = { epochs: await readFormerEpochs(), at: environment.now() };
  return known.epochs;
}

export function forgetEpochs(): void {
  known = undefined;
}
