import { expect, test, vi } from 'vitest';
import { putItems } from '../../../../lib/dynamodb/batch.ts';
import { type CapacityUsage, withCapacityUsage } from '../../../../lib/dynamodb/requests.ts';
import { GROUPS } from '../../../../lib/features/groups/keys.ts';
import { countGroups, listGroups } from '../../../../lib/features/groups/list.ts';
import { addMember, removeMember, updateMember } from '../../../../lib/features/groups/members.ts';
import { findGroupByExternalId, readGroups } from '../../../../lib/features/groups/read.ts';
import { createGroup, deleteGroup, updateGroup } from '../../../../lib/features/groups/write.ts';
import { createUser } from '../../../setup/create-user.ts';
import { newPerson } from '../../../setup/test-data.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

const measure = async (run: () => Promise<unknown>): Promise<CapacityUsage> => (await withCapacityUsage(run)).used;

const units = (requests: number, readUnits: number, writeUnits: number): CapacityUsage => ({
  requests,
  readUnits,
  writeUnits,
});

test('requests and units of each operation do not depend on the number of members', async () => {
  const by = 'ada';
  const key = { key: 'cost', caller: 'ada' };
  expect(await measure(() => createGroup({ name: 'Acme', externalId: 'org_1' }, by, key))).toEqual(units(1, 0, 10));
  const { id } = (await findGroupByExternalId('org_1')) ?? expect.fail();
  const users = await Promise.all(Array.from({ length: 30 }, () => createUser(newPerson())));
  for (const user of users.slice(1)) await addMember({ groupId: id, userId: user.id }, by);
  const member = { groupId: id, userId: users[0]?.id ?? '' };

  expect(await measure(() => readGroups([id], { consistent: true }))).toEqual(units(1, 1, 0));
  expect(await measure(() => findGroupByExternalId('org_1'))).toEqual(units(2, 2, 0));
  expect(await measure(() => addMember(member, by))).toEqual(units(3, 2, 5));
  expect(await measure(() => updateMember({ ...member, role: 'admin' }, by))).toEqual(units(3, 2, 7));
  expect(await measure(() => removeMember(member, by))).toEqual(units(2, 1, 5));
  expect(await measure(() => updateGroup({ id, externalId: null }, by))).toEqual(units(2, 1, 4));
  expect(await measure(() => updateGroup({ id, name: 'Globex' }, by))).toEqual(units(2, 1, 6));
  expect(await measure(() => deleteGroup({ id, removeMembers: true }, by))).toEqual(units(3, 2, 8));
});

test('pages of groups cost the same at any number of groups', async () => {
  const first = 20;
  for (let at = 0; at < 5; at++) await createGroup({ name: 'Acme' }, 'ada');
  const ids = Array.from({ length: 1_000 }, () => crypto.randomUUID());
  await putItems(ids.map((sk) => ({ pk: GROUPS, sk })));
  expect((await measure(() => listGroups({ first }, () => {}))).requests).toBe(2);
  expect((await measure(() => listGroups({ first, search: 'acme' }, () => {}))).requests).toBe(2);
  expect((await measure(() => countGroups(() => {}))).readUnits).toBeLessThan(12);
});
