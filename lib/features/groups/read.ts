import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { getItems } from '../../dynamodb/batch.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { skipDamaged } from '../../dynamodb/damaged-items.ts';
import { type Group, parseStoredGroup } from './group.ts';
import { deletedGroupsKey, groupKey, isGroupId } from './keys.ts';

/** Returns groups by id. Skips unknown, malformed, damaged and deleted ones. Accepts repeated ids. */
export async function readGroups(ids: readonly string[], { consistent = false } = {}): Promise<Map<string, Group>> {
  const items = await getItems(ids.filter(isGroupId).map(groupKey), { ConsistentRead: consistent });
  const stored = skipDamaged(items, parseStoredGroup);
  return new Map(stored.flatMap(({ group, deletion }) => (deletion ? [] : [[group.id, group]])));
}

/** Returns the ids of deleted groups whose memberships a job still removes. Reads consistently, for one read unit. */
export async function readDeletedGroups(): Promise<ReadonlySet<string>> {
  const { Item = {} } = await table.send(new GetCommand({ TableName, Key: deletedGroupsKey, ConsistentRead: true }));
  return new Set(Object.keys(Item).filter(isGroupId));
}
