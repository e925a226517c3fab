import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { TableName, table } from '../dynamodb/client.ts';
import { isUserId, userKey } from '../dynamodb/keys.ts';
import { notFound, versionExcluded, versionMismatch } from '../errors.ts';
import type { deleteUserInput } from './input.ts';
import { parseStoredUser, type StoredUser, type User } from './user.ts';

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
