import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { type Claim, createClaim, createEmailClaim, hasValue, parseClaim } from './derived.ts';
import { parseEmail } from './email.ts';
import type { FieldValue, OwnField } from './fields/declaration.ts';
import { findUser } from './read.ts';
import type { User } from './user.ts';

// Separate from read.ts: reads by id do not load the claims.

/** Undefined if the user in the claim no longer has the value, which may change between the two reads. */
export async function findOwner({ key }: Claim): Promise<User | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
  const user = Item && (await findUser(parseClaim(Item).userId));
  return user && hasValue(user, key) ? user : undefined;
}

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
