import { describe, expect, test, vi } from 'vitest';
import { checkTable } from '../../../infra/scripts/table-consistency.ts';
import { deleteItems, putItems } from '../../../lib/dynamodb/batch.ts';
import type { Item, Key } from '../../../lib/dynamodb/keys.ts';
import { deletedGroupsKey, externalIdKey, GROUP_SEARCH, GROUPS, groupKey } from '../../../lib/features/groups/keys.ts';
import { addMember } from '../../../lib/features/groups/members.ts';
import { findGroupByExternalId } from '../../../lib/features/groups/read.ts';
import { createGroup, deleteGroup } from '../../../lib/features/groups/write.ts';
import { findUser } from '../../../lib/users/read.ts';
import { findItem } from '../../lib/on-change/log-write.ts';
import { createUser } from '../../setup/create-user.ts';
import { newPerson } from '../../setup/test-data.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

const ofGroups = /group/;

/** Returns the findings of groups. */
async function check(repair?: 'counts'): Promise<[string, string][]> {
  const found: [string, string][] = [];
  await checkTable({ repair, onFinding: (kind, { pk }) => ofGroups.test(kind) && found.push([kind, pk]) });
  return found;
}

const read = async (key: Key): Promise<Item> => (await findItem(key)) ?? expect.fail(`No item ${key.pk}`);

/** Expects the findings, and none after a repair. */
async function expectFindings(...findings: [string, string][]): Promise<void> {
  expect(await check()).toEqual(findings);
  await check('counts');
  expect(await check()).toEqual([]);
}

describe('check-table finds and repairs', () => {
  test('nothing after writes of the service, also while a group is being deleted', async () => {
    const group = await createGroup({ name: 'Acme GmbH', externalId: 'org_1' }, 'ada');
    const user = await createUser(newPerson());
    await addMember({ groupId: group.id, userId: user.id }, 'ada');
    expect(await check()).toEqual([]);
    await deleteGroup({ id: group.id, removeMembers: true }, 'ada');
    expect(await check()).toEqual([]);
    expect(await read(deletedGroupsKey)).toHaveProperty([group.id]);
  });

  test('missing claims and entries', async () => {
    const { id } = await createGroup({ name: 'Missing', externalId: 'org_2' }, 'ada');
    await deleteItems([externalIdKey('org_2'), { pk: GROUPS, sk: id }]);
    await expectFindings(['group with other items', groupKey(id).pk]);
    expect(await findGroupByExternalId('org_2')).toMatchObject({ id });
    await read({ pk: GROUPS, sk: id });
  });

  test('claims and entries that no group lists', async () => {
    const { id } = await createGroup({ name: 'Extra' }, 'ada');
    const entry = { pk: GROUP_SEARCH, sk: `other\t${id}` };
    const unknown = { pk: GROUPS, sk: '01890000-0000-7000-8000-000000000000' };
    await putItems([entry, unknown, { ...externalIdKey('org_3'), groupId: id }]);
    expect((await check()).map(([kind]) => kind)).toEqual(Array(3).fill('claim or entry without group'));
    await check('counts');
    expect(await check()).toEqual([]);
    expect(await findItem(entry)).toBeUndefined();
  });

  test('a damaged record of a group', async () => {
    const { id } = await createGroup({ name: 'Record' }, 'ada');
    await putItems([{ ...(await read(groupKey(id))), derived: ['x'] }]);
    await expectFindings(['group with other items', groupKey(id).pk]);
    await putItems([{ ...(await read(groupKey(id))), derived: ['x'] }]);
    await deleteGroup({ id }, 'ada');
    expect(await check()).toEqual([]);
  });

  test('memberships of groups that do not exist', async () => {
    const { id: groupId } = await createGroup({ name: 'Gone' }, 'ada');
    const { id: userId } = await createUser(newPerson());
    await addMember({ groupId, userId }, 'ada');
    const entries = [groupKey(groupId), { pk: GROUPS, sk: groupId }, { pk: GROUP_SEARCH, sk: `gone\t${groupId}` }];
    await deleteItems(entries);
    await expectFindings(['membership of an unknown group', `USER#${userId}`]);
    expect(await findUser(userId)).toMatchObject({ own: { groups: [] }, version: 3, by: 'system' });
  });

  test('an unreadable group, which it leaves', async () => {
    const { id } = await createGroup({ name: 'Damaged' }, 'ada');
    await putItems([{ ...(await read(groupKey(id))), name: 5 }]);
    expect(await check('counts')).toContainEqual(['unreadable group', groupKey(id).pk]);
    expect(await read(groupKey(id))).toMatchObject({ name: 5 });
  });
});
