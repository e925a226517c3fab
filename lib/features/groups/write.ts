import { v7 as uuidv7 } from 'uuid';
import type * as z from 'zod/mini';
import type { Actor } from '../../auth/caller.ts';
import { TableName } from '../../dynamodb/client.ts';
import type { Item, Key } from '../../dynamodb/keys.ts';
import { retryOnConflict } from '../../dynamodb/requests.ts';
import { type TransactItem, transact, tryTransact } from '../../dynamodb/transact.ts';
import { timestamp } from '../../environment.ts';
import {
  concurrentChanges,
  externalIdTaken,
  groupNotEmpty,
  groupVersionMismatch,
  notFound,
  tooManyDeletions,
  unavailable,
} from '../../errors.ts';
import { createIdempotencyRecord, type IdempotencyKey } from '../../idempotency.ts';
import { requireCompleteLists } from '../backfill/complete-lists.ts';
import { compareKeys, listDerivedKeys } from './entries.ts';
import { formatDerived, type Group, type NewGroupVersion, type StoredGroup } from './group.ts';
import type { createGroupInput, deleteGroupInput, updateGroupInput } from './input.ts';
import { deletedGroupsKey, groupKey, isExternalIdKey } from './keys.ts';
import { listMemberIds } from './members.ts';
import { memberPartitions } from './membership-entries.ts';
import { findStoredGroup, readDeletedGroups } from './read.ts';

/**
 * Creates a group. A repeated idempotency key returns the group of the first request. `id`: only imports keep an id.
 * Throws CONFLICT for a taken id or external id, IDEMPOTENCY_KEY_REUSED, and SERVICE_UNAVAILABLE if a lost request may
 * still create the group.
 */
export async function createGroup(
  { name, externalId = null, id = uuidv7() }: z.infer<typeof createGroupInput> & { id?: string | undefined },
  by: Actor,
  key?: IdempotencyKey,
): Promise<Group> {
  const record = key && createIdempotencyRecord('createGroup', { name, externalId }, key);
  const createdAt = timestamp();
  const group: NewGroupVersion = { id, name, externalId, createdAt, updatedAt: createdAt, version: 1, by };
  const derived = listDerivedKeys(group);
  const { failures, outcomeUnknown } = await transact<string>({
    idempotency: record?.item(group),
    ...toItems(derived, (Key) => putDerived(Key, group.id)),
    group: { Put: { TableName, Item: toItem(group, derived), ConditionExpression: 'attribute_not_exists(pk)' } },
  });
  if (!failures) return group;
  if (record && failures.idempotency) {
    const first = record.replay(failures.idempotency);
    return { ...group, ...first, updatedAt: first.createdAt };
  }
  // The lost request may still succeed, so CONFLICT could be wrong.
  throw outcomeUnknown ? unavailable() : externalIdTaken();
}

const toItem = ({ id, ...attributes }: NewGroupVersion, derived: Key[]): Item => ({
  ...groupKey(id),
  ...attributes,
  derived: formatDerived(derived),
});

export const toItems = (keys: Key[], create: (key: Key) => TransactItem): Record<string, TransactItem> =>
  Object.fromEntries(keys.map((key) => [`${key.pk} ${key.sk}`, create(key)]));

/** Only claims have a condition. Entries hold nothing but keys. */
export const putDerived = (key: Key, groupId: string): TransactItem =>
  isExternalIdKey(key)
    ? {
        Put: {
          TableName,
          Item: { ...key, groupId },
          ConditionExpression: 'attribute_not_exists(pk) OR groupId = :groupId',
          ExpressionAttributeValues: { ':groupId': groupId },
        },
      }
    : { Put: { TableName, Item: key } };

/** The record may be damaged. */
const listCurrentKeys = ({ group, derived }: StoredGroup): Key[] => [
  ...derived,
  ...compareKeys(derived, listDerivedKeys(group)).added,
];

const deleteDerived = (Key: Key): TransactItem => ({ Delete: { TableName, Key } });

/** Null clears the external id. Writes nothing if all values are equal. Throws NOT_FOUND, PRECONDITION_FAILED, CONFLICT. */
export function updateGroup(
  { id, name, externalId, ifVersion }: z.infer<typeof updateGroupInput>,
  by: Actor,
): Promise<Group> {
  return retryOnConflict(async () => {
    const stored = await getStoredGroup(id, ifVersion);
    const { group } = stored;
    const changed = {
      ...group,
      name: name ?? group.name,
      externalId: externalId === undefined ? group.externalId : externalId,
    };
    if (changed.name === group.name && changed.externalId === group.externalId) return group;
    const next = { ...changed, updatedAt: timestamp(), version: group.version + 1, by };
    const derived = listDerivedKeys(next);
    const { added, removed } = compareKeys(listCurrentKeys(stored), derived);
    const result = await tryTransact<string>({
      ...toItems(added, (key) => putDerived(key, id)),
      ...toItems(removed, deleteDerived),
      group: { Update: updateItem(stored, { ...pickStored(next), derived: formatDerived(derived) }) },
    });
    if (typeof result === 'string') return result;
    const { failures, outcomeUnknown } = result;
    if (!failures) return next;
    // The version has changed. A lost request cannot succeed any more, because it has the same condition.
    if (failures.group) return 'retry';
    throw outcomeUnknown ? unavailable() : externalIdTaken();
  }, concurrentChanges);
}

async function getStoredGroup(id: string, ifVersion: number | null | undefined): Promise<StoredGroup> {
  const stored = await findStoredGroup(id);
  if (!stored) throw notFound('Group');
  if (ifVersion != null && ifVersion !== stored.group.version) throw groupVersionMismatch(stored.group);
  return stored;
}

const pickStored = ({ name, externalId, updatedAt, version, by }: NewGroupVersion) => ({
  name,
  externalId,
  updatedAt,
  version,
  by,
});

/** Fails if the group has changed or is deleted. Keeps attributes that a later release may have added. */
function updateItem({ group }: StoredGroup, attributes: Item): NonNullable<TransactItem['Update']> {
  const entries = Object.entries(attributes);
  return {
    TableName,
    Key: groupKey(group.id),
    UpdateExpression: `SET ${entries.map(([name]) => `#${name} = :${name}`).join(', ')}`,
    ConditionExpression: 'version = :read AND attribute_not_exists(deletedAt)',
    ExpressionAttributeNames: Object.fromEntries(entries.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(entries.map(([name, value]) => [`:${name}`, value])),
      ':read': group.version,
    },
  };
}

/** Maximum running deletions. Their ids fit into one read unit. Parallel requests may exceed this number. */
const MAX_DELETIONS = 100;

/**
 * Deletes a group. Reads leave out its memberships at once, and a job removes them (job.ts). Throws NOT_FOUND,
 * PRECONDITION_FAILED, CONFLICT for a group with members unless `removeMembers` is set, TOO_MANY_REQUESTS, and
 * SERVICE_UNAVAILABLE if a backfill may not have listed all members.
 */
export function deleteGroup(
  { id, removeMembers, ifVersion }: z.infer<typeof deleteGroupInput>,
  by: Actor,
): Promise<{ id: string }> {
  return retryOnConflict(async () => {
    const [stored, deletions] = await Promise.all([getStoredGroup(id, ifVersion), readDeletedGroups()]);
    if (deletions.size >= MAX_DELETIONS) throw tooManyDeletions();
    if (!removeMembers) await requireNoMembers(id);
    // The version of a deletion follows the last one, as a user's does.
    const tombstone = { deletedAt: timestamp(), deletedBy: by, version: stored.group.version + 1, derived: [] };
    const result = await tryTransact<string>({
      ...toItems(listCurrentKeys(stored), deleteDerived),
      group: { Update: updateItem(stored, tombstone) },
      deletions: {
        Update: {
          TableName,
          Key: deletedGroupsKey,
          UpdateExpression: 'SET #id = :true',
          ExpressionAttributeNames: { '#id': id },
          ExpressionAttributeValues: { ':true': true },
        },
      },
    });
    if (typeof result === 'string') return result;
    return result.failures ? 'retry' : { id };
  }, concurrentChanges);
}

async function requireNoMembers(id: string): Promise<void> {
  if ((await listMemberIds(id, 1)).length > 0) throw groupNotEmpty();
  await requireCompleteLists(memberPartitions(id));
}
