import { afterEach, describe, expect, test, vi } from 'vitest';
import { getItems } from '../../../../lib/dynamodb/batch.ts';
import { table } from '../../../../lib/dynamodb/client.ts';
import { environment } from '../../../../lib/environment.ts';
import { groupDeletionsJob } from '../../../../lib/features/groups/job.ts';
import { deletedGroupsKey, groupKey } from '../../../../lib/features/groups/keys.ts';
import { readDeletedGroups } from '../../../../lib/features/groups/read.ts';
import { runJobs } from '../../../../lib/maintenance/run.ts';
import { listMemberships } from '../../../../lib/users/fields/values.ts';
import { findUser } from '../../../../lib/users/read.ts';
import { createUser, getErrorCode, mutate as mutateUser } from '../../graphql/client.ts';
import { createGroup, listMembers, mutate, readGroup, readMember } from './client.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

const { now } = environment;
const passTime = (ms: number) => {
  environment.now = () => now() + ms;
};
afterEach(() => {
  environment.now = now;
  vi.restoreAllMocks();
});

const MINUTE = 60_000;

const runJob = (hasTimeLeft = () => true) => runJobs([groupDeletionsJob], hasTimeLeft);

/** Runs the job until it has completed all deletions. */
async function completeAll(): Promise<void> {
  passTime(2 * MINUTE);
  for (let run = 0; run < 3; run++) await runJob();
  expect([...(await readDeletedGroups())]).toEqual([]);
}

async function createGroupOf(count: number): Promise<{ groupId: string; userIds: string[] }> {
  const { id: groupId } = await createGroup();
  const userIds: string[] = [];
  for (let at = 0; at < count; at++) {
    const { id: userId } = await createUser();
    await mutate('addMember', { groupId, userId, role: at === 1 ? 'admin' : 'member' });
    userIds.push(userId);
  }
  return { groupId, userIds };
}

const countMemberships = async (userIds: string[]): Promise<number[]> => {
  const users = await Promise.all(userIds.map(findUser));
  return users.map((user) => listMemberships(user ?? { own: {} }).length);
};

test('a group with members is deleted only with removeMembers', async () => {
  const { groupId, userIds } = await createGroupOf(1);
  const response = await mutate('deleteGroup', { id: groupId });
  expect(response.errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', reason: 'GROUP_NOT_EMPTY' });
  expect(await listMembers(groupId)).toEqual(userIds);
  await mutate('removeMember', { groupId, userId: userIds[0] });
  expect((await mutate('deleteGroup', { id: groupId })).payload).toEqual({ id: groupId });
});

test('a deleted group is gone at once, and its job removes the memberships with a version each', async () => {
  const { groupId, userIds } = await createGroupOf(3);
  const [userId = ''] = userIds;
  expect((await mutate('deleteGroup', { id: groupId, removeMembers: true })).payload).toEqual({ id: groupId });
  expect(await readGroup(groupId)).toBeNull();
  expect(await readMember(userId)).toMatchObject({ version: 2, groups: [] });
  expect(getErrorCode(await mutate('addMember', { groupId, userId }))).toBe('NOT_FOUND');
  expect(getErrorCode(await mutate('updateMember', { groupId, userId, role: 'admin' }))).toBe('NOT_FOUND');
  const added = await mutateUser('updateUser', { id: (await createUser()).id, groups: [{ id: groupId }] });
  expect(getErrorCode(added)).toBe('BAD_USER_INPUT');
  await runJob();
  expect(await countMemberships(userIds)).toEqual([0, 0, 0]);
  expect((await readMember(userId))?.version).toBe(3);
  // A request that has read the group may still be adding a member.
  expect(await readDeletedGroups()).toContain(groupId);
  await completeAll();
  expect(await getItems([groupKey(groupId)])).toEqual([]);
  expect((await readMember(userId))?.version).toBe(3);
});

test('a removal is made by the caller who deleted the group', async () => {
  const { groupId, userIds } = await createGroupOf(1);
  await mutate('deleteGroup', { id: groupId, removeMembers: true });
  const [item] = await getItems([groupKey(groupId)]);
  await completeAll();
  expect(await findUser(userIds[0] ?? '')).toMatchObject({ by: item?.deletedBy, version: 3 });
});

test('memberships of a deleted group take no place of the limit', async () => {
  const { id: userId } = await createUser();
  const ids = [await createGroup(), await createGroup(), await createGroup()].map(({ id }) => id);
  for (const groupId of ids) await mutate('addMember', { groupId, userId });
  await mutate('deleteGroup', { id: ids[0], removeMembers: true });
  const { id: groupId } = await createGroup();
  const { payload } = await mutate('addMember', { groupId, userId });
  expect(payload?.user.groups.map((each) => each.groupId)).toEqual([ids[1], ids[2], groupId]);
  await completeAll();
});

test('a user in the maximum of groups cannot join a deleted group', async () => {
  const [{ id: userId }, { id: groupId }] = [await createUser(), await createGroup()];
  for (let at = 0; at < 3; at++) await mutate('addMember', { groupId: (await createGroup()).id, userId });
  await mutate('deleteGroup', { id: groupId });
  expect(getErrorCode(await mutate('addMember', { groupId, userId }))).toBe('NOT_FOUND');
  expect((await readMember(userId))?.groups).toHaveLength(3);
  await completeAll();
  expect(getErrorCode(await mutate('addMember', { groupId, userId }))).toBe('NOT_FOUND');
});

test('a member who joins by a request that read the group before is removed, too', async () => {
  const [{ id: groupId }, { id: userId }] = [await createGroup(), await createUser()];
  const send = table.send.bind(table);
  let isDeleted = false;
  vi.spyOn(table, 'send').mockImplementation(async (...args) => {
    const [command] = args;
    if (command.constructor.name === 'TransactWriteCommand' && !isDeleted) {
      isDeleted = true;
      await mutate('deleteGroup', { id: groupId });
      await runJob();
    }
    return send(...args);
  });
  expect((await mutate('addMember', { groupId, userId })).errors).toBeUndefined();
  expect(isDeleted).toBe(true);
  expect(await countMemberships([userId])).toEqual([1]);
  expect(await readMember(userId)).toMatchObject({ groups: [] });
  await completeAll();
  expect(await countMemberships([userId])).toEqual([0]);
});

test('30 people who join while the group is deleted have no membership in the end', async () => {
  const { id: groupId } = await createGroup();
  const users = await Promise.all(Array.from({ length: 30 }, () => createUser()));
  const joins = users.map(({ id: userId }) => mutate('addMember', { groupId, userId }));
  const deletion = mutate('deleteGroup', { id: groupId, removeMembers: true }).then(() => runJob());
  const responses = await Promise.all(joins);
  await deletion;
  for (const response of responses) if (!response.payload) expect(getErrorCode(response)).toBe('NOT_FOUND');
  await completeAll();
  const ids = users.map(({ id }) => id);
  expect(await countMemberships(ids)).toEqual(ids.map(() => 0));
});

describe('the job', () => {
  /** Fails the writes of these users. */
  function failWrites(userIds: string[], name: string): void {
    const send = table.send.bind(table);
    vi.spyOn(table, 'send').mockImplementation((...args) => {
      const [command] = args;
      const text = command.constructor.name === 'TransactWriteCommand' ? JSON.stringify(command.input) : '';
      if (userIds.some((id) => text.includes(id))) throw Object.assign(new Error('stopped'), { name });
      return send(...args);
    });
  }

  test('continues after it was stopped', async () => {
    const { groupId, userIds } = await createGroupOf(4);
    await mutate('deleteGroup', { id: groupId, removeMembers: true });
    passTime(2 * MINUTE);
    failWrites(userIds.slice(2), 'ThrottlingException');
    await runJob();
    // The other writes of the stopped run may still be in progress.
    expect((await countMemberships(userIds)).slice(2)).toEqual([1, 1]);
    expect(await readMember(userIds[3] ?? '')).toMatchObject({ groups: [] });
    vi.restoreAllMocks();
    passTime(2 * MINUTE);
    await completeAll();
    expect(await countMemberships(userIds)).toEqual([0, 0, 0, 0]);
  });

  test('fails because of a member whom it cannot change, but removes the others', async () => {
    const { groupId, userIds } = await createGroupOf(4);
    await mutate('deleteGroup', { id: groupId, removeMembers: true });
    passTime(2 * MINUTE);
    vi.spyOn(console, 'error').mockReturnValue();
    failWrites(userIds.slice(0, 1), 'ValidationException');
    await expect(runJob()).rejects.toThrow('groupDeletions');
    expect(await countMemberships(userIds)).toEqual([1, 0, 0, 0]);
    await expect(runJob()).rejects.toThrow('groupDeletions');
    expect(await readDeletedGroups()).toContain(groupId);
    vi.restoreAllMocks();
    await completeAll();
    expect(await countMemberships(userIds)).toEqual([0, 0, 0, 0]);
  });

  test('does nothing twice if two run at once', async () => {
    const { groupId, userIds } = await createGroupOf(3);
    await mutate('deleteGroup', { id: groupId, removeMembers: true });
    await Promise.all([runJob(), runJob()]);
    const users = await Promise.all(userIds.map((id) => readMember(id)));
    expect(users.map((user) => user?.version)).toEqual([3, 3, 3]);
    passTime(2 * MINUTE);
    await Promise.all([runJob(), runJob()]);
    await completeAll();
  });

  test('ignores deleted users, and entries without a membership', async () => {
    const { groupId, userIds } = await createGroupOf(2);
    await mutate('deleteGroup', { id: groupId, removeMembers: true });
    await mutateUser('deleteUser', { id: userIds[0] });
    const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
    await putItems([{ pk: `LIST#group=${groupId}`, sk: (await createUser()).id }]);
    await completeAll();
    expect(await readMember(userIds[1] ?? '')).toMatchObject({ version: 3 });
  });
});

test('while 100 groups are being deleted, another deletion fails with TOO_MANY_REQUESTS', async () => {
  const { id } = await createGroup();
  const { putItems } = await import('../../../../lib/dynamodb/batch.ts');
  const ids = Array.from({ length: 100 }, () => crypto.randomUUID());
  await putItems([{ ...deletedGroupsKey, ...Object.fromEntries(ids.map((each) => [each, true])) }]);
  const response = await mutate('deleteGroup', { id });
  expect(response.errors?.[0]?.extensions).toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 60 });
  expect(await readGroup(id)).not.toBeNull();
  await completeAll();
  expect((await mutate('deleteGroup', { id })).payload).toEqual({ id });
});
