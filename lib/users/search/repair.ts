import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import { findUser } from '../get.ts';
import { createTombstone } from './entries.ts';
import { type EntryMismatch, findEntry } from './verify.ts';

/** Of a user who is gone for good: above every version that a late record can have. */
const LAST_VERSION = Number.MAX_SAFE_INTEGER;

/**
 * Writes what belongs under a key, unless that has changed since it was read. Returns whether it did. Users who were
 * changed after `settledAt`, in ms, are left to on-change.
 */
export async function repairEntry(
  { key, userId }: EntryMismatch,
  settledAt = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  // The entry first: an entry is never of a later version than its user.
  const { Item: stored } = await table.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
  const user = await findUser(userId);
  if (user && Date.parse(user.updatedAt) > settledAt) return false;
  const wanted = findEntry(user, key);
  if (wanted ? isDeepStrictEqual(stored, wanted) : stored?.name === undefined) return false;
  const Item = wanted ?? createTombstone({ ...key }, user?.version ?? LAST_VERSION);
  const condition =
    stored?.version === undefined
      ? { ConditionExpression: 'attribute_not_exists(version)' }
      : { ConditionExpression: 'version = :read', ExpressionAttributeValues: { ':read': stored.version } };
  return putItemIf({ Item, ...condition });
}
