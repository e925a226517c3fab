import { v7 as uuidv7 } from 'uuid';
import { beforeEach, expect, test, vi } from 'vitest';
import type { GroupSettings } from '../../../../infra/settings/settings.ts';
import { type Deployed, deploy } from '../../users/fields/deploy.ts';
import { markDeleted, storeGroup } from './stored-groups.ts';

const PLAN = { plan: { type: 'string', filter: true } } as const;

let before: Deployed;

beforeEach(async () => {
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue();
  before = await deploy(PLAN, { groups: true, maxGroups: 3 });
  await before.clearTable();
  return () => vi.restoreAllMocks();
});

const partition = (group: string, role?: string) => `LIST#group=${group}${role ? `&role=${role}` : ''}`;

/** Runs the backfill, and waits until its lists count as complete. */
async function completeLists(deployed: Deployed): Promise<void> {
  await deployed.run();
  deployed.environment.now = () => Date.now() + 5 * 60_000;
}

test('a role that the setting drops becomes the first role, also in lists after the backfill', async () => {
  const group = await storeGroup();
  const [member, admin] = [
    await before.add({ groups: [{ id: group }] }),
    await before.add({ groups: [{ id: group, role: 'admin' }] }),
  ];
  await before.run();
  const after = await deploy(PLAN, { groups: true, maxGroups: 3, groupRoles: ['viewer', 'member'] });
  expect(await after.get(admin)).toMatchObject({ groups: [{ id: group, role: 'viewer' }] });
  expect((await after.list({ group })).status).toBe(503);
  await completeLists(after);
  expect(await after.find({ group })).toEqual([member, admin]);
  expect(await after.find({ group, role: 'viewer' })).toEqual([admin]);
  expect(await after.readList(partition(group, 'admin'))).toEqual([]);
  expect((await after.checkTable()).found).toEqual({});
});

test('a lower maxGroups keeps memberships, but lists only the first ones', async () => {
  const groups = [await storeGroup(), await storeGroup(), await storeGroup()];
  const id = await before.add({ groups: groups.map((group) => ({ id: group })) });
  await before.run();
  const after = await deploy(PLAN, { groups: true, maxGroups: 1 });
  await completeLists(after);
  expect((await after.get(id)).groups).toHaveLength(3);
  expect(await Promise.all(groups.map((group) => after.readList(partition(group))))).toEqual([[id], [], []]);
  expect((await after.update(id, { plan: 'pro' })).status).toBe(200);
  expect((await after.get(id)).groups).toHaveLength(3);
  expect((await after.checkTable()).found).toEqual({});
});

test('without the setting, memberships are hidden and have no entries, and return with the setting', async () => {
  const group = await storeGroup();
  const id = await before.add({ groups: [{ id: group, role: 'admin' }], plan: 'pro' });
  await before.run();
  const off = await deploy(PLAN);
  await off.run();
  expect(await off.get(id)).not.toHaveProperty('groups');
  expect((await off.list({ group })).status).toBe(400);
  expect((await off.update(id, { groups: [] })).status).toBe(400);
  expect((await off.update(id, { plan: 'team' })).status).toBe(200);
  expect(await off.readList(partition(group, 'admin'))).toEqual([]);
  const on = await deploy(PLAN, { groups: true });
  await completeLists(on);
  expect(await on.get(id)).toMatchObject({ groups: [{ id: group, role: 'admin' }], plan: 'team' });
  expect(await on.find({ group, role: 'admin' })).toEqual([id]);
});

test.each([
  ['is lost', false],
  ['is done, and its answer lost', true],
])('a join that dies at its write, which %s, leaves memberships and entries that agree', async (_, isWritten) => {
  const group = await storeGroup();
  const id = await before.add();
  const { updateUser } = await import('../../../../lib/users/write.ts');
  const join = () => updateUser({ id, ...{ groups: [{ id: group, role: 'admin' }] } }, 'system');
  expect(await before.crash(join, 0, isWritten)).toBe(true);
  const isMember = (await before.readList(partition(group, 'admin'))).includes(id);
  expect([isMember, ((await before.get(id)).groups as unknown[]).length]).toEqual([isWritten, isWritten ? 1 : 0]);
  expect((await before.checkTable()).found).toEqual({});
  expect((await join()).own.groups).toHaveLength(1);
  expect(await before.find({ group, role: 'admin' })).toEqual([id]);
});

test('check-table finds entries of memberships that are missing or left over', async () => {
  const group = await storeGroup();
  const id = await before.add({ groups: [{ id: group }] });
  await before.putByHand({ pk: partition(group, 'admin'), sk: id });
  const other = uuidv7();
  await before.putByHand({ pk: partition(other), sk: id });
  expect((await before.checkTable()).found).not.toEqual({});
});

test('a restored user is no member of groups that were deleted meanwhile', async () => {
  const [group, kept] = [await storeGroup(), await storeGroup()];
  const id = await before.add({ groups: [{ id: group }, { id: kept, role: 'admin' }] });
  await before.remove(id);
  await markDeleted(group);
  const { restoreUser } = await import('../../../../lib/features/history/restore.ts');
  await restoreUser(id, 'system');
  expect((await before.get(id)).groups).toEqual([{ id: kept, role: 'admin' }]);
  expect(await before.find({ group: kept })).toEqual([id]);
  expect(await before.readList(partition(group))).toEqual([]);
});

test.each<[string, Partial<GroupSettings>]>([
  ['a role was dropped', { groupRoles: ['member', 'owner'] }],
  ['the setting was off', {}],
])('until the backfill after %s, a group without entries does not count as empty', async (name, settings) => {
  const group = await storeGroup();
  const id = await before.add({ groups: [{ id: group, role: 'admin' }] });
  await before.run();
  if (name === 'the setting was off') await (await deploy(PLAN)).run();
  const after = await deploy(PLAN, { groups: true, maxGroups: 3, ...settings });
  const { deleteGroup } = await import('../../../../lib/features/groups/write.ts');
  await expect(deleteGroup({ id: group }, 'system')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  await completeLists(after);
  await expect(deleteGroup({ id: group }, 'system')).rejects.toMatchObject({ reason: 'GROUP_NOT_EMPTY' });
  expect((await after.get(id)).groups).toHaveLength(1);
});

test('a group that is deleted during a restore does not fail it', async () => {
  const [group, kept] = [await storeGroup(), await storeGroup()];
  const id = await before.add({ groups: [{ id: group }, { id: kept }] });
  await before.remove(id);
  const { restoreUser } = await import('../../../../lib/features/history/restore.ts');
  const { table } = await import('../../../../lib/dynamodb/client.ts');
  const send = table.send.bind(table);
  let reads = 0;
  vi.spyOn(table, 'send').mockImplementation(async (...args) => {
    const isOfGroups = JSON.stringify(args[0].input).includes(`GROUP#${group}`);
    const response = await send(...args);
    if (isOfGroups && ++reads === 1) await markDeleted(group);
    return response;
  });
  await restoreUser(id, 'system');
  expect(reads).toBeGreaterThan(1);
  expect((await before.get(id)).groups).toEqual([{ id: kept, role: 'member' }]);
});
