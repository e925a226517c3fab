import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type * as z from 'zod/mini';
import { TableName, table } from '../dynamodb/client.ts';
import { type Item, isUserId, userKey } from '../dynamodb/keys.ts';
import { notFound, versionExcluded, versionMismatch } from '../errors.ts';
import type { deleteUserInput } from './inputs.ts';
import { parseUser, type User } from './schema.ts';

/** A consistent read. Undefined for an id that names no user, whatever its form. */
export async function findUser(id: string): Promise<User | undefined> {
  if (!isUserId(id)) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key: userKey(id), ConsistentRead: true }));
  return Item && parseUser(Item);
}

type Conditions = z.infer<typeof deleteUserInput>;

/** Throws NOT_FOUND, and PRECONDITION_FAILED for another version than the conditions allow. */
export async function getUser({ id, ...conditions }: Conditions): Promise<User> {
  const user = await findUser(id);
  if (!user) throw notFound('User');
  return checkConditions(user, conditions);
}

function checkConditions(user: User, { ifVersion, ifNotVersion, ifUnmodifiedSince }: Omit<Conditions, 'id'>): User {
  if (ifVersion && !ifVersion.includes(user.version)) throw versionMismatch(user);
  if (ifUnmodifiedSince !== undefined && toSeconds(Date.parse(user.updatedAt)) > toSeconds(ifUnmodifiedSince))
    throw versionMismatch(user);
  if (ifNotVersion === 'any' || ifNotVersion?.includes(user.version)) throw versionExcluded(user);
  return user;
}

/** Dates of HTTP have no milliseconds. */
const toSeconds = (milliseconds: number) => Math.floor(milliseconds / 1000);

/**
 * Checks what a write requires of the user, who is read unless a failed condition has just `shown` the item: of many writes at
 * once, each further attempt is one request. Throws NOT_FOUND, and PRECONDITION_FAILED for a version that it may not replace.
 */
export const getUserToWrite = async (input: Conditions, shown?: Item): Promise<User> =>
  shown ? checkConditions(parseUser(shown), input) : getUser(input);
