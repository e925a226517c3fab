import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { TableName, table } from '../dynamodb/client.ts';
import { isUserId, userKey } from '../dynamodb/keys.ts';
import { notFound, versionExcluded, versionMismatch } from '../errors.ts';
import type { deleteUserInput, Version } from './input.ts';
import { parseStoredUser, type StoredUser, type User } from './user.ts';

/** Reads consistently. Undefined for an unknown or malformed id. */
export async function findStoredUser(id: string): Promise<StoredUser | undefined> {
  if (!isUserId(id)) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key: userKey(id), ConsistentRead: true }));
  return Item && parseStoredUser(Item);
}

/** Reads consistently. Undefined for an unknown or malformed id. */
export const findUser = async (id: string): Promise<User | undefined> => (await findStoredUser(id))?.user;

type Input = z.infer<typeof deleteUserInput>;
export type Conditions = Omit<Input, 'id'>;

/** Throws NOT_FOUND, or PRECONDITION_FAILED if a condition excludes the version. */
export async function getUser(input: Input): Promise<User> {
  return (await getStoredUser(input)).user;
}

export async function getStoredUser({ id, ...conditions }: Input): Promise<StoredUser> {
  const stored = await findStoredUser(id);
  if (!stored) throw notFound('User');
  checkConditions(stored.user, conditions);
  return stored;
}

export function checkConditions(user: User, { ifVersion, ifNotVersion, ifUnmodifiedSince }: Conditions): void {
  const isCurrent = ({ id = user.id, version }: Version) => id === user.id && version === user.version;
  if (ifVersion && !ifVersion.some(isCurrent)) throw versionMismatch(user);
  if (ifUnmodifiedSince !== undefined && toSeconds(Date.parse(user.updatedAt)) > toSeconds(ifUnmodifiedSince))
    throw versionMismatch(user);
  if (ifNotVersion === 'any' || ifNotVersion?.some(isCurrent)) throw versionExcluded(user);
}

/** HTTP dates have no milliseconds. */
const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);
