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

/** Throws NOT_FOUND, and PRECONDITION_FAILED for a version that is not among `ifVersion`. */
export async function getUser({ id, ifVersion }: { id: string; ifVersion?: number[] | undefined }): Promise<User> {
  const user = await findUser(id);
  if (!user) throw notFound('User');
  if (ifVersion && !ifVersion.includes(user.version)) throw versionMismatch(user.version);
  return user;
}

/**
 * Checks what a write requires of the user, who is read unless a failed condition has just `shown` the item: of many writes at
 * once, each further attempt is one request. Throws NOT_FOUND, and PRECONDITION_FAILED for a version that it may not replace.
 */
export async function getUserToWrite(
  { id, ifVersion, ifNotVersion }: z.infer<typeof deleteUserInput>,
  shown?: Item,
): Promise<User> {
  const user = shown ? parseUser(shown) : await getUser({ id });
  if (ifVersion && !ifVersion.includes(user.version)) throw versionMismatch(user.version);
  if (ifNotVersion === 'any' || ifNotVersion?.includes(user.version)) throw versionExcluded(user.version);
  return user;
}
