import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { TableName, table } from '../dynamodb/client.ts';
import { type Item, isUserId, userKey } from '../dynamodb/keys.ts';
import { notFound, versionExcluded, versionMismatch } from '../errors.ts';
import { type Claim, createEmailClaim, listClaims } from './derived.ts';
import { parseEmail } from './email.ts';
import type { deleteUserInput } from './inputs.ts';
import { parseStoredUser, type StoredUser, type User } from './schema.ts';

/** A consistent read with the keys of the user's derived items. Undefined for an unknown id in any form. */
export async function findStoredUser(id: string): Promise<StoredUser | undefined> {
  if (!isUserId(id)) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key: userKey(id), ConsistentRead: true }));
  return Item && parseStoredUser(Item);
}

/** A consistent read. Undefined for an unknown id in any form. */
export const findUser = async (id: string): Promise<User | undefined> => (await findStoredUser(id))?.user;

type Conditions = z.infer<typeof deleteUserInput>;

/** Throws NOT_FOUND, and PRECONDITION_FAILED for a version that the conditions exclude. */
export async function getUser(input: Conditions): Promise<User> {
  return (await getStoredUser(input)).user;
}

/** Like `getUser`, with the keys of the user's derived items. */
export async function getStoredUser({ id, ...conditions }: Conditions): Promise<StoredUser> {
  const stored = await findStoredUser(id);
  if (!stored) throw notFound('User');
  checkConditions(stored.user, conditions);
  return stored;
}

/** Throws PRECONDITION_FAILED for a version that the conditions exclude. */
export function checkConditions(
  user: User,
  { ifVersion, ifNotVersion, ifUnmodifiedSince }: Omit<Conditions, 'id'>,
): void {
  if (ifVersion && !ifVersion.includes(user.version)) throw versionMismatch(user);
  if (ifUnmodifiedSince !== undefined && toSeconds(Date.parse(user.updatedAt)) > toSeconds(ifUnmodifiedSince))
    throw versionMismatch(user);
  if (ifNotVersion === 'any' || ifNotVersion?.includes(user.version)) throw versionExcluded(user);
}

/** Dates of HTTP have no milliseconds. */
const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

/** The content of a claim item. `version` is the version of the user that wrote it, so that two claims always differ. */
export type StoredClaim = { userId: string; version: number };

/** Returns undefined for a damaged item. Without zod, because functions that read no body load this file. */
export function readClaim({ userId, version = 0 }: Item): StoredClaim | undefined {
  return typeof userId === 'string' && userId && typeof version === 'number' ? { userId, version } : undefined;
}

/** Throws an error for a damaged claim: another user may own the value. */
export function parseClaim(item: Item): StoredClaim {
  const claim = readClaim(item);
  if (claim) return claim;
  throw new Error(`Invalid claim item ${item.pk}: ${item.userId ? 'version is not a number' : 'userId is missing'}`);
}

/** Finds the user whose value a claim makes unique. Undefined if the user has changed the value between the two reads. */
export async function findOwner({ key }: Claim): Promise<User | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
  const user = Item && (await findUser(parseClaim(Item).userId));
  return user && listClaims(user).some((claim) => claim.key.pk === key.pk) ? user : undefined;
}

/** Ignores case. Undefined for an invalid address and for one that no user has. */
export async function findUserByEmail(address: string): Promise<User | undefined> {
  const email = parseEmail(address);
  return email === undefined ? undefined : findOwner(createEmailClaim(email));
}
