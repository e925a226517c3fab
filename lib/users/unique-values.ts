import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { type Claim, createClaim, createEmailClaim, hasValue, parseClaim } from './derived.ts';
import { parseEmail } from './email.ts';
import type { FieldValue, OwnField } from './fields/declaration.ts';
import { findStoredUser } from './read.ts';
import type { StoredUser, User } from './user.ts';

// Separate from read.ts: reads by id do not load the claims.

/**
 * Reads both again if the user in the claim does not have the value: a merge may have moved the value between the two
 * reads. Returns undefined if the claim still names `staleId`, the user of the previous read.
 */
export async function findStoredOwner({ key }: Pick<Claim, 'key'>, staleId?: string): Promise<StoredUser | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
  const userId = Item && parseClaim(Item).userId;
  if (userId === undefined || userId === staleId) return undefined;
  const stored = await findStoredUser(userId);
  return stored && hasValue(stored.user, key) ? stored : findStoredOwner({ key }, userId);
}

export const findOwner = async (claim: Claim): Promise<User | undefined> => (await findStoredOwner(claim))?.user;

/** Ignores case. Undefined for an invalid or unknown address. */
export async function findUserByEmail(address: string): Promise<User | undefined> {
  const email = parseEmail(address);
  return email === undefined ? undefined : findOwner(createEmailClaim(email));
}

export async function findUserByField(field: OwnField, value: FieldValue): Promise<User | undefined> {
  const claim = createClaim(field, trimLikeStored(field, value));
  return claim && findOwner(claim);
}

/** Trims texts of fields that are stored trimmed. */
export function trimLikeStored({ pattern, unique }: OwnField, value: FieldValue): FieldValue {
  const isTrimmed = pattern === undefined && unique !== 'exact';
  return typeof value === 'string' && isTrimmed ? value.trim() : value;
}
