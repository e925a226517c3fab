import type * as z from 'zod';
import { emailTaken, notFound, stale } from '../errors.ts';
import { isUserId, userKey } from '../dynamodb/keys.ts';
import { transact, retryOnConflict, update } from '../dynamodb/table.ts';
import { getUserAtVersion, type Versions } from './get.ts';
import { canonicalEmail, parseUser, type User, type updateUserInput } from './schema.ts';
import { updateUserIfUnchanged, claimEmail, releaseEmail } from './transaction-items.ts';

/**
 * Changes the fields that are given; a replacement is an update of them all, and nothing given changes nothing.
 * Throws `not-found`, `stale` where the user is at none of `ifVersion`, `taken`.
 */
export async function updateUser({ id, name, email, ifVersion }: z.infer<typeof updateUserInput>): Promise<User> {
  if (email !== undefined) return changeWithEmail(id, { ...(name === undefined ? {} : { name }), email }, ifVersion);
  if (name !== undefined) return rename(id, name, ifVersion);
  return getUserAtVersion(id, ifVersion);
}

/** A name is nobody else's business: one write, whose condition is all the reading it needs. */
async function rename(id: string, name: string, ifVersion: Versions): Promise<User> {
  if (!isUserId(id)) throw notFound('User');
  const versions = ifVersion?.map((version, at) => [`:version${at}`, version] as const);
  const result = await update({
    Key: userKey(id),
    UpdateExpression: 'SET #name = :name, updatedAt = :now, version = version + :one',
    ConditionExpression: versions ? `version IN (${versions.map(([key]) => key).join(', ')})` : 'attribute_exists(pk)',
    ExpressionAttributeNames: { '#name': 'name' },
    ExpressionAttributeValues: {
      ':name': name,
      ':now': new Date().toISOString(),
      ':one': 1,
      ...Object.fromEntries(versions ?? []),
    },
  });
  if ('written' in result) return parseUser(result.written);
  throw result.failed.item ? stale() : notFound('User');
}

/** The old address is freed and the new one claimed in the same transaction as the change. */
function changeWithEmail(id: string, changes: { name?: string; email: string }, ifVersion: Versions): Promise<User> {
  return retryOnConflict(async () => {
    const read = await getUserAtVersion(id, ifVersion);
    const next = { ...read, ...changes, updatedAt: new Date().toISOString(), version: read.version + 1 };
    if (canonicalEmail(read.email) === canonicalEmail(next.email))
      return 'written' in (await update(updateUserIfUnchanged(read, next))) ? next : undefined;
    const { failures } = await transact([
      { Update: updateUserIfUnchanged(read, next) },
      releaseEmail(read.email),
      claimEmail(next.email, id),
    ]);
    if (!failures) return next;
    if (!failures[0]) throw emailTaken();
    return undefined;
  });
}
