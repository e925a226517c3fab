import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Actor } from '../../auth/caller.ts';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { type Item, isUserId } from '../../dynamodb/keys.ts';
import type { TransactItem } from '../../dynamodb/transact.ts';
import { environment, timestamp } from '../../environment.ts';
import type { Deletion, RelatedUsers, ReturningUser } from '../../users/deletion-record.ts';
import { erasureKey, parseErasureKey, pendingErasureKey } from './keys.ts';

export type Erasure = { id: string; requestedAt: string; by: Actor; completedAt: string | null } & RelatedUsers;

const DAY_SECONDS = 24 * 3600;
/** Days that point-in-time recovery can go back. */
const RECOVERY_DAYS = 35;

/**
 * Returns seconds since 1970. Erasures must outlive backups: a restore brings people back, who must be erased again.
 */
export function findErasureExpiry(): number {
  const days = Math.max(RECOVERY_DAYS, environment.backupDays) + 1;
  return Math.ceil(environment.now() / 1000) + days * DAY_SECONDS;
}

/** Stores no personal data except ids. */
export function createErasure(
  id: string,
  by: Actor,
  { earlierRecords, sameAddress }: RelatedUsers,
): [record: TransactItem, pending: TransactItem] {
  const requestedAt = timestamp();
  return [
    {
      Put: {
        TableName,
        Item: { ...erasureKey(id), requestedAt, by, earlierRecords, sameAddress, expiresAt: findErasureExpiry() },
      },
    },
    { Put: { TableName, Item: { ...pendingErasureKey(id), requestedAt, settlesFrom: requestedAt } } },
  ];
}

export const requestedErasure = ({ user, by, erasure }: Deletion): TransactItem[] =>
  erasure ? createErasure(user.id, by, erasure) : [];

/** Withdraws a pending erasure when an import brings the person back. */
export const withdrawnErasure = ({ user, deletion }: ReturningUser): TransactItem[] =>
  deletion?.erasure === 'pending'
    ? [erasureKey(user.id), pendingErasureKey(user.id)].map((Key) => ({ Delete: { TableName, Key } }))
    : [];

/** Avoids zod, to keep `on-change` small. */
const parseErasure = ({ sk, requestedAt, by, completedAt = null, earlierRecords = [], sameAddress = [] }: Item) =>
  ({ id: parseErasureKey(String(sk)), requestedAt, by, completedAt, earlierRecords, sameAddress }) as Erasure; // Only this file writes them.

export async function findErasure(id: string): Promise<Erasure | undefined> {
  if (!isUserId(id)) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key: erasureKey(id), ConsistentRead: true }));
  return Item && parseErasure(Item);
}

export async function readErasures(ids: string[]): Promise<Map<string, Erasure>> {
  const items = await getItems(ids.map(erasureKey), { ConsistentRead: true });
  return new Map(items.map(parseErasure).map((erasure) => [erasure.id, erasure]));
}

const queryAll = (condition: string, values: Item) =>
  paginateQuery(
    { client: table },
    {
      TableName,
      KeyConditionExpression: `pk = :pk AND ${condition}`,
      ExpressionAttributeValues: { ':pk': erasureKey('').pk, ...values },
      ConsistentRead: true,
    },
  );

/** Lists erasures without the queue: PENDING# sorts after ids, which begin with a digit. */
export async function* listErasures(): AsyncGenerator<Erasure> {
  for await (const { Items = [] } of queryAll('sk < :pending', { ':pending': pendingErasureKey().sk }))
    yield* Items.map(parseErasure);
}

/**
 * `settlesFrom`: time of the request, or of the last run that found the user again. The job waits from then until all
 * stream records have been consumed.
 */
export type PendingErasure = { id: string; requestedAt: string; settlesFrom: string };

export async function isQueued(id: string): Promise<boolean> {
  return (await getItems([pendingErasureKey(id)], { ConsistentRead: true })).length > 0;
}

export async function* listPendingErasures(): AsyncGenerator<PendingErasure> {
  for await (const { Items = [] } of queryAll('begins_with(sk, :pending)', { ':pending': pendingErasureKey().sk }))
    for (const { sk, requestedAt, settlesFrom } of Items)
      yield { id: parseErasureKey(sk), requestedAt: String(requestedAt), settlesFrom: String(settlesFrom) };
}
