import { SYSTEM } from '../../lib/auth/caller.ts';
import { getItems } from '../../lib/dynamodb/batch.ts';
import { TableName } from '../../lib/dynamodb/client.ts';
import { type Item, type Key, userKey } from '../../lib/dynamodb/keys.ts';
import { transact } from '../../lib/dynamodb/transact.ts';
import { compareKeys, listDerivedKeys } from '../../lib/features/groups/entries.ts';
import { formatDerived, type StoredGroup, tryParseStoredGroup } from '../../lib/features/groups/group.ts';
import {
  GROUP_SEARCH,
  GROUPS,
  groupKey,
  isExternalIdKey,
  isGroupId,
  isGroupKey,
  parseGroupId,
} from '../../lib/features/groups/keys.ts';
import { removeFormerMember } from '../../lib/features/groups/members.ts';
import { putDerived, toItems } from '../../lib/features/groups/write.ts';
import { parseEntryUserId } from '../../lib/users/derived.ts';
import { listMemberships } from '../../lib/users/fields/values.ts';
import type { StoredUser } from '../../lib/users/user.ts';

export type GroupKind =
  | 'unreadable group'
  | 'group with other items'
  | 'claim or entry without group'
  | 'membership of an unknown group';

type Stored = Item & Key;
type Check = { repair: boolean; onFinding(kind: GroupKind, key: Key): void };

/**
 * Checks scanned items of groups, and the groups of scanned users. Returns the number of repairs. Concurrent writes can
 * cause false findings, but never wrong repairs.
 */
export async function checkGroups(
  items: readonly Stored[],
  users: readonly StoredUser[],
  check: Check,
): Promise<number> {
  let repaired = 0;
  const groups = items.filter(isGroupKey);
  for (const item of groups) if (!tryParseStoredGroup(item)) check.onFinding('unreadable group', item);
  for (const stored of groups.flatMap((item) => tryParseStoredGroup(item) ?? []))
    if (!stored.deletion) repaired += await checkGroup(stored, check);
  repaired += await checkOwners(items.filter(isOfGroup), check);
  return repaired + (await checkMembers(users, check));
}

const isEntryOfGroup = ({ pk }: Key): boolean => pk === GROUPS || pk === GROUP_SEARCH;
const isOfGroup = (item: Stored): boolean => isExternalIdKey(item) || isEntryOfGroup(item);

const findGroupId = (item: Stored): string => String(isExternalIdKey(item) ? item.groupId : parseEntryUserId(item.sk));

/** Fails if the group has changed. */
const ifUnchanged = ({ group }: StoredGroup) => ({
  TableName,
  Key: groupKey(group.id),
  ConditionExpression: 'version = :read AND attribute_not_exists(deletedAt)',
  ExpressionAttributeValues: { ':read': group.version },
});

async function checkGroup(stored: StoredGroup, { repair, onFinding }: Check): Promise<number> {
  const { group, derived } = stored;
  const wanted = listDerivedKeys(group);
  const existing = await getItems([...wanted, ...derived], { ConsistentRead: true });
  const own = existing.filter((item) => !isExternalIdKey(item) || item.groupId === group.id);
  const { added, removed } = compareKeys(own, wanted);
  const hasExactRecord = Object.values(compareKeys(derived, wanted)).every((keys) => keys.length === 0);
  if (added.length + removed.length === 0 && hasExactRecord) return 0;
  onFinding('group with other items', groupKey(group.id));
  if (!repair) return 0;
  const { failures } = await transact<string>({
    ...toItems(added, (key) => putDerived(key, group.id)),
    ...toItems(removed, ({ pk, sk }) => ({ Delete: { TableName, Key: { pk, sk } } })),
    group: {
      Update: {
        ...ifUnchanged(stored),
        UpdateExpression: 'SET derived = :derived',
        ExpressionAttributeValues: { ':read': group.version, ':derived': formatDerived(wanted) },
      },
    },
  });
  // Another group may have the external id: an operator must decide which one keeps it.
  return failures ? 0 : 1;
}

/** Finds claims and entries that their group does not list. */
async function checkOwners(items: readonly Stored[], { repair, onFinding }: Check): Promise<number> {
  const groups = await readStored(items.map(findGroupId));
  let repaired = 0;
  for (const item of items) {
    const { pk, sk } = item;
    const stored = groups.get(findGroupId(item));
    if (stored && [...stored.derived, ...listDerivedKeys(stored.group)].some((key) => key.pk === pk && key.sk === sk))
      continue;
    onFinding('claim or entry without group', { pk, sk });
    if (!repair) continue;
    const { failures } = await transact({
      group: { ConditionCheck: stored ? ifUnchanged(stored) : ifMissing(findGroupId(item)) },
      item: { Delete: { TableName, Key: { pk, sk } } },
    });
    if (!failures) repaired++;
  }
  return repaired;
}

const ifMissing = (id: string) => ({
  TableName,
  Key: groupKey(id),
  ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(deletedAt)',
});

/** Returns groups that are not deleted. */
async function readStored(ids: readonly string[]): Promise<Map<string, StoredGroup>> {
  const items = await getItems(ids.filter(isGroupId).map(groupKey), { ConsistentRead: true });
  const groups = items.flatMap((item) => tryParseStoredGroup(item) ?? []);
  return new Map(groups.flatMap((stored) => (stored.deletion ? [] : [[stored.group.id, stored]])));
}

/** Skips groups that are being deleted: their items still exist, and the job removes their memberships. */
async function checkMembers(users: readonly StoredUser[], { repair, onFinding }: Check): Promise<number> {
  const memberships = users.flatMap(({ user }) => listMemberships(user).map(({ id }) => ({ id, user })));
  const items = await getItems(
    memberships.map(({ id }) => groupKey(id)),
    { ConsistentRead: true },
  );
  const known = new Set(items.map(({ pk }) => parseGroupId(pk)));
  let repaired = 0;
  for (const { id, user } of memberships) {
    if (known.has(id)) continue;
    onFinding('membership of an unknown group', userKey(user.id));
    if (repair && (await removeFormerMember(id, user.id, SYSTEM))) repaired++;
  }
  return repaired;
}
