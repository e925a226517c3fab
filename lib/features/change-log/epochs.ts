import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIfMissing, updateItemIf } from '../../dynamodb/conditional.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { environment, timestamp } from '../../environment.ts';
import { epochKey } from './keys.ts';
import { findReachSeconds } from './order-log.ts';
import { EPOCH } from './topics.ts';

/** How long a deploy may leave environments of the former release running. */
const OVERLAP_MS = 3_600_000;

/**
 * A restored table holds the logs of the table that it was restored from, under another epoch. Each table lists its epoch
 * in itself, so that a restore of it knows under which names the changes before the restore stand. The item also says how
 * long the order log is kept: `historyDays` may change.
 */
export async function listOwnEpoch(): Promise<void> {
  const Key = epochKey(EPOCH);
  const keptSeconds = findReachSeconds();
  // A read costs half as much as a put that finds the item.
  const { Item } = await table.send(new GetCommand({ TableName, Key }));
  if (!Item) await putItemIfMissing({ ...Key, since: timestamp(), keptSeconds });
  else if (Item.keptSeconds !== keptSeconds) await updateKeptSeconds(keptSeconds, Item);
}

/** Entries that were put before an increase expire earlier. */
async function updateKeptSeconds(keptSeconds: number, { keptSeconds: old = 0, keptSince = null }: Item): Promise<void> {
  const isLonger = keptSeconds > Number(old);
  await updateItemIf({
    Key: epochKey(EPOCH),
    UpdateExpression: 'SET keptSeconds = :kept, keptSince = :since',
    ExpressionAttributeValues: {
      ':kept': keptSeconds,
      ':since': isLonger ? new Date(environment.now() + OVERLAP_MS).toISOString() : keptSince,
    },
    ConditionExpression: 'attribute_exists(pk)',
  });
}

/** Lists an epoch, whose log has begun at this time. */
export async function listEpoch(epoch: string, since: string): Promise<void> {
  await putItemIfMissing({ ...epochKey(epoch), since });
}

/** Returns the epoch of the log of a user or author that has an entry; undefined for other items. */
export const parseEpoch = (pk: string): string | undefined => /^CHANGES#([^#]+)#(USER|POSTS)#/.exec(pk)?.[1];

/** A log that this table holds. Only its own has all attributes. */
export type Epoch = { epoch: string; since: string; keptSeconds: number; keptSince: string | undefined };

/** Reads the items that list the logs of this table and of those that it was restored from. */
export async function readEpochItems(): Promise<Epoch[]> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': epochKey().pk },
    ConsistentRead: true,
  };
  const listed: Epoch[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    for (const { sk, since, keptSeconds, keptSince } of Items)
      listed.push({
        epoch: sk,
        since: String(since),
        keptSeconds: Number(keptSeconds ?? 0),
        keptSince: typeof keptSince === 'string' ? keptSince : undefined,
      });
  return listed;
}

/** Reads the epochs of the tables that this one was restored from, the oldest first. */
export async function readFormerEpochs(): Promise<string[]> {
  return (await readEpochItems())
    .filter(({ epoch }) => epoch !== EPOCH)
    .toSorted((one, other) => (one.since < other.since ? -1 : 1))
    .map(({ epoch }) => epoch);
}

/** Reads the epochs of all logs that this table holds, the oldest first. */
export const readEpochs = async (): Promise<string[]> => [...(await readFormerEpochs()), EPOCH];

/** They only change while a table is being restored, before functions use it. */
const REMEMBERED_MS = 10 * 60_000;

/** What a process knows of the former epochs, so that not every history reads them. Tests and the simulator forget it. */
export class KnownEpochs {
  #known: { epochs: string[]; at: number } | undefined;

  async readFormer(): Promise<string[]> {
    if (!this.#known || environment.now() - this.#known.at > REMEMBERED_MS)
      this.#known = { epochs: await readFormerEpochs(), at: environment.now() };
    return this.#known.epochs;
  }

  forget(): void {
    this.#known = undefined;
  }
}

export const knownEpochs = new KnownEpochs();
