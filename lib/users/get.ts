import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../dynamodb/client.ts';
import { isUserId, userKey } from '../dynamodb/keys.ts';
import { notFound, versionMismatch } from '../errors.ts';
import { parseUser, type User } from './schema.ts';

/** The versions that a write may replace; undefined for any. */
export type Versions = number[] | undefined;

/** A consistent read. Undefined for an id that names no user, whatever its form. */
export async function findUser(id: string): Promise<User | undefined> {
  if (!isUserId(id)) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key: userKey(id), ConsistentRead: true }));
  return Item && parseUser(Item);
}

/** Throws NOT_FOUND. */
export async function getUser({ id }: { id: string }): Promise<User> {
  const user = await findUser(id);
  if (!user) throw notFound('User');
  return user;
}

/** Throws NOT_FOUND, and PRECONDITION_FAILED when the user is at none of the versions. */
export async function getUserAtVersion(id: string, versions: Versions): Promise<User> {
  const user = await getUser({ id });
  if (versions && !versions.includes(user.version)) throw versionMismatch();
  return user;
}
