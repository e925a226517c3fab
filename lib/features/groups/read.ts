import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { skipDamaged } from '../../dynamodb/damaged-items.ts';
import { type Group, parseStoredGroup, type StoredGroup } from './group.ts';
import { deletedGroupsKey, externalIdKey, groupKey, isGroupId } from './keys.ts';

/** Returns groups by id. Skips unknown, malformed, damaged and deleted ones. Accepts repeated ids. */
export async function readGroups(ids: readonly string[], { consistent = false } = {}): Promise<Map<string, Group>> {
  const items = await getItems(ids.filter(isGroupId).map(groupKey), { ConsistentRead: consistent });
  const stored = skipDamaged(items, parseStoredGroup);
  return new Map(stored.flatMap(({ group, deletion }) => (deletion ? [] : [[group.id, group]])));
}

/** Returns groups by external id, in batches. Skips unknown ones. Reads consistently. */
export async function readGroupsByExternalId(externalIds: readonly string[]): Promise<Group[]> {
  const claims = await getItems(externalIds.filter(isPossible).map(externalIdKey), { ConsistentRead: true });
  const groups = await readGroups(
    claims.map(({ groupId }) => String(groupId)),
    { consistent: true },
  );
  // A group may have got another external id between the two reads.
  return [...groups.values()].filter(({ externalId }) => externalId !== null && externalIds.includes(externalId));
}

/** Returns the ids of deleted groups until a job has removed their memberships. Reads consistently, for one read unit. */
export async function readDeletedGroups(): Promise<ReadonlySet<string>> {
  const { Item = {} } = await table.send(new GetCommand({ TableName, Key: deletedGroupsKey, ConsistentRead: true }));
  return new Set(Object.keys(Item).filter(isGroupId));
}

/** Reads consistently. Undefined for an unknown, malformed or deleted id. */
export async function findStoredGroup(id: string): Promise<StoredGroup | undefined> {
  if (!isGroupId(id)) return undefined;
  const { Item } = await table.send(new GetCommand({ TableName, Key: groupKey(id), ConsistentRead: true }));
  const stored = Item && parseStoredGroup(Item);
  return stored?.deletion ? undefined : stored;
}

/** Compares the external id exactly. Reads consistently. */
export async function findGroupByExternalId(externalId: string): Promise<Group | undefined> {
  if (!isPossible(externalId)) return undefined;
  const Key = externalIdKey(externalId);
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  const group = Item && (await findStoredGroup(String(Item.groupId)))?.group;
  // The group may have got another external id between the two reads.
  return group?.externalId === externalId ? group : undefined;
}

/** DynamoDB's limit of a partition key. */
const MAX_KEY_BYTES = 2048;

/** False for texts that cannot be the key of a claim. */
const isPossible = (externalId: string): boolean =>
  externalId !== '' && Buffer.byteLength(externalIdKey(externalId).pk) <= MAX_KEY_BYTES;
