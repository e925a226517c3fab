import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Actor } from '../../auth/caller.ts';
import { getItems } from '../../dynamodb/batches.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { type Item, isUserId } from '../../dynamodb/keys.ts';
import type { TransactItem } from '../../dynamodb/transactions.ts';
import { environment, timestamp } from '../../environment.ts';
import type { User } from '../../users/schema.ts';
import type { Companions } from '../../users/write.ts';
import { erasureKey, parseErasureKey, pendingErasureKey } from './keys.ts';

/** Somebody asked for the personal data of a deleted user to be erased. `completedAt` is null until it is. */
export type Erasure = { id: string; requestedAt: string; by: Actor; completedAt: string | null };

/** Longer than point-in-time recovery: what a restore brings back has to be erased again. */
const RETENTION_SECONDS = 36 * 24 * 3600;

/** What tells where items of a person stand. */
export type Traced = Pick<User, 'id' | 'name' | 'email' | 'fields'>;

/**
 * The record of an erasure, which holds the id only, and its place in the queue of the job that makes it. Until it is made,
 * the queue has the user as of the deletion: the change log may not be written, or may have lost it. Each attempt needs new
 * ones, as they hold the time.
 */
export function createErasure(id: string, by: Actor, user?: User): TransactItem[] {
  const requestedAt = timestamp();
  const traced = user && { name: user.name, email: user.email, ...(user.fields ? { fields: user.fields } : {}) };
  const expiresAt = Math.ceil(environment.now() / 1000) + RETENTION_SECONDS;
  const Key = pendingErasureKey(id);
  return [
    { Put: { TableName, Item: { ...erasureKey(id), requestedAt, by, expiresAt } } },
    traced
      ? { Put: { TableName, Item: { ...Key, settlesFrom: requestedAt, ...traced } } }
      : // An erasure that is pending already knows the user.
        {
          Update: {
            TableName,
            Key,
            UpdateExpression: 'SET settlesFrom = :now',
            ExpressionAttributeValues: { ':now': requestedAt },
          },
        },
  ];
}

/** The transaction that deletes a user requests the erasure. */
export const erasureRequest: Companions<never> = ({ before, by }) =>
  before ? createErasure(before.id, by, before).map((item) => ({ item })) : [];

/** Parses without zod, as all of `on-change` does. */
const parseErasure = ({ sk, requestedAt, by, completedAt = null }: Item): Erasure =>
  ({ id: parseErasureKey(String(sk)), requestedAt, by, completedAt }) as Erasure; // Only this file writes them.

/** Undefined for an id that names no erasure, whatever its form. */
export async function findErasure(id: string): Promise<Erasure | undefined> {
  if (!isUserId(id)) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key: erasureKey(id), ConsistentRead: true }));
  return Item && parseErasure(Item);
}

/** Reads the erasures of some users, by their ids. */
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
    },
  );

/** All erasures whose records are kept. Ids are hexadecimal, so they sort before the queue. */
export async function* listErasures(): AsyncGenerator<Erasure> {
  for await (const { Items = [] } of queryAll('sk < :pending', { ':pending': pendingErasureKey().sk }))
    yield* Items.map(parseErasure);
}

/** An erasure that is not completed. It settles from the time on when the last of the user's items was deleted. */
export type PendingErasure = { id: string; settlesFrom: string; user: Traced | undefined };

export async function* listPendingErasures(): AsyncGenerator<PendingErasure> {
  for await (const { Items = [] } of queryAll('begins_with(sk, :pending)', { ':pending': pendingErasureKey().sk }))
    for (const { sk, settlesFrom, ...traced } of Items) {
      const id = parseErasureKey(sk);
      // Only this file writes them.
      const user = traced.name === undefined ? undefined : ({ ...traced, id } as unknown as Traced);
      yield { id, settlesFrom: String(settlesFrom), user };
    }
}
