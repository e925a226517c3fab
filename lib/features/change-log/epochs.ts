import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIfMissing, updateItemIf } from '../../dynamodb/conditional.ts';
import type { Item } from '../../dynamodb/keys.ts';
import { environment, timestamp } from '../../environment.ts';
import { epochKey } from './keys.ts';
import { findReachSeconds } from './order-log.ts';
import { EPOCH } from './topics.ts';

/** After a deploy, Lambda environments of the old release may keep running for this long. */
const OVERLAP_MS = 3_600_000;

/**
 * Registers this table's epoch, the name of its change log, in the table itself. A table restored from it then finds
 * the former changes. Also stores the order log's retention, which `historyDays` may change.
 */
export async function listOwnEpoch(): Promise<void> {
  const Key = epochKey(EPOCH);
  const keptSeconds = findReachSeconds();
  // Reading first costs half as much as a conditional put that fails.
  const { Item } = await table.send(new GetCommand({ TableName, Key }));
  if (!Item) await putItemIfMissing({ ...Key, since: timestamp(), keptSeconds });
  else if (Item.keptSeconds !== keptSeconds) await updateKeptSeconds(keptSeconds, Item);
}

/** After an increase, only entries written from now on have the longer retention. */
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

/** `since`: start of the epoch's log. */
export async function listEpoch(epoch: string, since: string): Promise<void> {
  await putItemIfMissing({ ...epochKey(epoch), since });
}

/** Undefined for items outside a user's or author's log. */
export const parseEpoch = (pk: string): string | undefined => /^CHANGES#([^#]+)#(USER|POSTS)#/.exec(pk)?.[1];

/**
 * Retention of the epoch's order log. `keptSeconds` is 0 for logs of former tables. `keptSince`: entries from this time
 * on have the full retention.
 */
export type Epoch = { epoch: string; since: string; keptSeconds: number; keptSince: string | undefined };

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

/** Returns the epochs of the tables that this one was restored from, oldest first. */
export async function readFormerEpochs(): Promise<string[]> {
  return (await readEpochItems())
    .filter(({ epoch }) => epoch !== EPOCH)
    .toSorted((one, other) => (one.since < other.since ? -1 : 1))
    .map(({ epoch }) => epoch);
}

/** Oldest first. */
export const readEpochs = async (): Promise<string[]> => [...(await readFormerEpochs()), EPOCH];

/** Epochs only change during a restore, before functions use the table. */
const REMEMBERED_MS = 10 * 60_000;

/** Caches the former epochs per process. Tests and the simulator reset it. */
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
