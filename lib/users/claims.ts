import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import type { ConditionFailure } from '../dynamodb/conditional-writes.ts';
import type { Item, Key } from '../dynamodb/keys.ts';
import { AGAIN, type Again } from '../dynamodb/retry.ts';
import { type TransactItem, transact } from '../dynamodb/transactions.ts';
import { unavailable, valueTaken } from '../errors.ts';
import { parseEmail } from './email.ts';
import { findUser } from './get.ts';
import { type Claim, createEmailClaim, hasClaim, listClaims } from './list-claims.ts';
import type { User } from './schema.ts';
import { requireSameUser } from './transaction-items.ts';
import { type Companions, WITHOUT } from './write.ts';

const isSame = (one: Claim) => (other: Claim) => one.key.pk === other.key.pk;
const subtract = (claims: Claim[], others: Claim[]) => claims.filter((claim) => !others.some(isSame(claim)));

export type StoredClaim = { userId: string; version: number };

/** Returns undefined for an item that was damaged by hand. Without zod, because functions that read no body load it. */
export function readClaim({ userId, version = 0 }: Item): StoredClaim | undefined {
  return typeof userId === 'string' && userId && typeof version === 'number' ? { userId, version } : undefined;
}

/** Throws an error for a claim that was damaged by hand: another user may own the value. */
export function parseClaim(item: Item): StoredClaim {
  const claim = readClaim(item);
  if (claim) return claim;
  throw new Error(`Invalid claim item ${item.pk}: ${item.userId ? 'version is not a number' : 'userId is missing'}`);
}

/** Reads the user whom a claim names. The user may have changed the value between the two reads. */
export async function findOwner(claim: Claim): Promise<User | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: claim.key, ConsistentRead: true }));
  const user = Item && (await findUser(parseClaim(Item).userId));
  return user && hasClaim(user, claim.key) ? user : undefined;
}

/** Case-insensitive. Undefined for an invalid address, and for one that no user has. */
export async function findUserByEmail(address: string): Promise<User | undefined> {
  const email = parseEmail(address);
  return email === undefined ? undefined : findOwner(createEmailClaim(email));
}

/** The claims of a user's values: new ones are made in the transaction of the write, and those of the last version released. */
export const claims: Companions<never> = ({ before, after }) => {
  const [old, next] = [before ? listClaims(before) : [], after ? listClaims(after) : []];
  /** A claimed value may become free before a late request arrives. */
  const requireOutcome = (outcomeUnknown: boolean) => {
    if (outcomeUnknown && after) throw unavailable();
  };
  return [
    ...subtract(old, next).map((claim) => ({
      item: releaseClaim(claim, before),
      claim,
      resolve(_: ConditionFailure, outcomeUnknown: boolean) {
        requireOutcome(outcomeUnknown);
        return WITHOUT;
      },
    })),
    ...subtract(next, old).map((claim) => ({
      item: putClaim(claim, after),
      claim,
      resolve(failure: ConditionFailure, outcomeUnknown: boolean) {
        requireOutcome(outcomeUnknown);
        return removeStaleClaim(claim, before?.id, failure);
      },
    })),
  ];
};

/**
 * A claim stays behind after writes of a service for which the field was not unique, and after a restore. The version in it tells
 * whether anybody, even the same user, has claimed the value since. Throws CONFLICT for a value that another user has.
 */
async function removeStaleClaim(claim: Claim, userId: string | undefined, { item }: ConditionFailure): Promise<Again> {
  const stored = parseClaim(item ?? {});
  const owner = await findUser(stored.userId);
  // The same user may have been given the value since it was read.
  if (owner && owner.id !== userId && hasClaim(owner, claim.key)) throw valueTaken(claim.field);
  await transact(toDeletion(owner, stored, claim.key));
  return AGAIN;
}

/** The transaction that deletes a claim if it and its user are as they were read: an import may bring the user back with the same claim. */
export const toDeletion = (user: User | undefined, stored: StoredClaim, Key: Key) => ({
  user: requireSameUser(stored.userId, user),
  claim: { Delete: { TableName, Key, ...isSameClaim(stored) } },
});

/** The condition that nobody, not even the same user, has claimed the value since. */
const isSameClaim = ({ userId, version }: StoredClaim) => ({
  ConditionExpression: 'userId = :userId AND (attribute_not_exists(version) OR version = :version)',
  ExpressionAttributeValues: { ':userId': userId, ':version': version },
});

/**
 * The version of the user makes each claim another: one that was found to be stale is replaced only if nobody, not even the
 * same user, has claimed the value since.
 */
export const putClaim = (
  { key }: Claim,
  user: Pick<User, 'id' | 'version'> | undefined,
  stale?: StoredClaim,
): TransactItem => ({
  Put: {
    TableName,
    Item: { ...key, userId: user?.id, version: user?.version },
    ...(stale ? isSameClaim(stale) : { ConditionExpression: 'attribute_not_exists(pk)' }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  },
});

/** A claim of another user, who came first, stays. */
const releaseClaim = ({ key: Key }: Claim, user: User | undefined): TransactItem => ({
  Delete: {
    TableName,
    Key,
    ConditionExpression: 'attribute_not_exists(pk) OR userId = :userId',
    ExpressionAttributeValues: { ':userId': user?.id },
  },
});
