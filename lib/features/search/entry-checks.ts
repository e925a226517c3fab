import { isDeepStrictEqual } from 'node:util';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../dynamodb/client.ts';
import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import { type Key, userKey } from '../../dynamodb/keys.ts';
import { findUser } from '../../users/get.ts';
import type { User } from '../../users/schema.ts';
import { readDeletion } from '../change-log/deletions.ts';
import type { ItemCheck, Repaired, UserCheck } from '../repair/inconsistency.ts';
import { createDeletionMarker, createEntries, type Entry, listKeys, listPossibleKeys } from './entries.ts';
import { isSearchKey, parseSearchKey } from './keys.ts';

const KIND = 'search entry that differs';

/** Markers of removed entries depend on no user. */
const findEntryUser: ItemCheck['findUserId'] = (item) =>
  isSearchKey(item) && item.name !== undefined ? parseSearchKey(item.sk).id : undefined;

export const searchEntries: ItemCheck = {
  kind: KIND,
  findUserId: findEntryUser,
  isInTurn: (item) => findEntryUser(item) !== undefined,
  isSound: (entry, user) => isDeepStrictEqual(findEntry(user, entry), entry),
  repair: (entry, _, settledAt) => repairEntry(entry, settledAt),
  listFormerKeys: (version, _, { search }) => [...listKeys(version), ...listPossibleKeys(version, search)],
};

export const listExpectedEntries: UserCheck = (user) =>
  createEntries(user).map((entry) => ({
    key: entry,
    isSound: (stored) => isDeepStrictEqual(stored, entry),
    describe: () => ({ kind: KIND, key: entry, repair: (settledAt) => repairEntry(entry, settledAt) }),
  }));

/** Returns what belongs under a key; undefined for nothing. */
const findEntry = (user: User | undefined, { pk, sk }: Key): Entry | undefined =>
  user && createEntries(user).find((entry) => entry.pk === pk && entry.sk === sk);

/** The version of what marks the entries of a user who is gone for good: it is above all that a late record can have. */
const LAST_VERSION = Number.MAX_SAFE_INTEGER;

/**
 * Writes what belongs under a key, unless that has changed since it was read. Users who were changed or deleted after `settledAt`, in ms, are left to on-change.
 */
export async function repairEntry({ pk, sk }: Key, settledAt = Number.POSITIVE_INFINITY): Promise<Repaired> {
  const key = { pk, sk };
  const userId = parseSearchKey(sk).id;
  // The entry first: an entry is never of a later version than its user.
  const { Item: stored } = await table.send(new GetCommand({ TableName, Key: key, ConsistentRead: true }));
  const user = await findUser(userId);
  const changedAt = user?.updatedAt ?? (await readDeletion(userKey(userId)))?.at;
  if (changedAt && Date.parse(changedAt) > settledAt) return { isWritten: false };
  const wanted = findEntry(user, key);
  if (wanted ? isDeepStrictEqual(stored, wanted) : stored?.name === undefined) return { isWritten: false };
  const Item = wanted ?? createDeletionMarker(key, user?.version ?? LAST_VERSION);
  const condition =
    stored?.version === undefined
      ? { ConditionExpression: 'attribute_not_exists(version)' }
      : { ConditionExpression: 'version = :read', ExpressionAttributeValues: { ':read': stored.version } };
  return { isWritten: await putItemIf({ Item, ...condition }) };
}
