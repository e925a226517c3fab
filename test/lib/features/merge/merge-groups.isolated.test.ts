import { afterEach, expect, test, vi } from 'vitest';
import { table } from '../../../../lib/dynamodb/client.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { execute, mutate } from '../../graphql/client.ts';
import { findItem, logChange, logWrite } from '../../on-change/log-write.ts';
import { markDeleted, storeGroup } from '../groups/stored-groups.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/member-fields.json';
});

type Membership = { id: string; role: string };

async function create(groups: Membership[]): Promise<string> {
  const { data } = await execute<{ createUser: { user: { id: string } } }>(
    'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }',
    { input: { ...newPerson(), groups } },
  );
  return data?.createUser.user.id as string;
}

afterEach(() => vi.restoreAllMocks());

/** Deletes the group right after the next request that reads it. */
function deleteAfterRead(group: string): void {
  const send = table.send.bind(table);
  let isRead = false;
  vi.spyOn(table, 'send').mockImplementation(async (...args) => {
    const isFirst = !isRead && JSON.stringify(args[0].input).includes(`GROUP#${group}`);
    isRead ||= isFirst;
    const response = await send(...args);
    if (isFirst) await mutate('deleteGroup', { id: group, removeMembers: true });
    return response;
  });
}

const merge = (input: object) =>
  execute<{ mergeUsers: { user: { groups: Membership[] } } }>(
    'mutation ($input: MergeUsersInput!) { mergeUsers(input: $input) { user { groups { id: groupId role } } } }',
    { input },
  );

test('a merge joins the groups of both, with the role of the kept user, and without deleted groups', async () => {
  const [both, own, other, deleted] = [await storeGroup(), await storeGroup(), await storeGroup(), await storeGroup()];
  const keep = await create([
    { id: both, role: 'admin' },
    { id: own, role: 'member' },
  ]);
  const remove = await create([both, other, deleted].map((id) => ({ id, role: 'owner' })));
  await markDeleted(deleted);
  const { data, errors } = await merge({ keep, remove });
  expect(errors).toBeUndefined();
  expect(data?.mergeUsers.user.groups).toEqual([
    { id: both, role: 'admin' },
    { id: own, role: 'member' },
    { id: other, role: 'owner' },
  ]);
});

test('values of the merge replace the groups', async () => {
  const group = await storeGroup();
  const [keep, remove] = [await create([]), await create([{ id: group, role: 'member' }])];
  const { data } = await merge({ keep, remove, values: { groups: [] } });
  expect(data?.mergeUsers.user.groups).toEqual([]);
});

test('more groups than a user can have are TOO_MANY_GROUPS, and neither user changes', async () => {
  const groups = await Promise.all(Array.from({ length: 4 }, () => storeGroup()));
  const list = groups.map((id) => ({ id, role: 'member' }));
  const [keep, remove] = [await create(list.slice(0, 2)), await create(list.slice(2))];
  const { errors } = await merge({ keep, remove });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'CONFLICT', reason: 'TOO_MANY_GROUPS' });
  const { data } = await execute<{ user: { groups: Membership[] } }>(
    'query ($id: ID!) { user(id: $id) { groups { id: groupId role } } }',
    { id: remove },
  );
  expect(data?.user.groups).toEqual(list.slice(2));
});

test('memberships of deleted groups take no place of the limit', async () => {
  const groups = await Promise.all(Array.from({ length: 5 }, () => storeGroup()));
  const list = groups.map((id) => ({ id, role: 'member' }));
  const [keep, remove] = [await create(list.slice(0, 3)), await create(list.slice(3))];
  for (const id of groups.slice(0, 2)) await markDeleted(id);
  const { data } = await merge({ keep, remove });
  expect(data?.mergeUsers.user.groups).toEqual(list.slice(2));
});

test('values with groups merge users of more groups than one user can have', async () => {
  const groups = await Promise.all(Array.from({ length: 4 }, () => storeGroup()));
  const list = groups.map((id) => ({ id, role: 'member' }));
  const [keep, remove] = [await create(list.slice(0, 2)), await create(list.slice(2))];
  const { data } = await merge({ keep, remove, values: { groups: list.slice(1, 3) } });
  expect(data?.mergeUsers.user.groups).toEqual(list.slice(1, 3));
});

test('a group that is deleted during a merge does not fail it, unless the caller names the group', async () => {
  const [group, kept] = [await storeGroup(), await storeGroup()];
  const groups = [group, kept].map((id) => ({ id, role: 'member' }));
  const [keep, remove] = [await create([]), await create(groups)];
  deleteAfterRead(group);
  const { data } = await merge({ keep, remove });
  expect(data?.mergeUsers.user.groups).toEqual(groups.slice(1));
  const other = await create([]);
  const { errors } = await merge({ keep, remove: other, values: { groups } });
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
});

test('an undo restores the groups of both, except deleted ones', async () => {
  const [own, other, deleted, lost, late] = await Promise.all([1, 2, 3, 4, 5].map(() => storeGroup()));
  const list = (...ids: (string | undefined)[]) => ids.map((id = '') => ({ id, role: 'member' }));
  const [keep, remove] = [await create(list(own, lost)), await create(list(other, deleted, late))];
  const mergeBoth = () => merge({ keep, remove, values: { groups: [] } });
  await logWrite(userKey(remove), () => logWrite(userKey(keep), mergeBoth));
  for (const id of [deleted, lost]) await markDeleted(id ?? '');
  deleteAfterRead(late ?? '');
  const { data, errors } = await execute<{ undoMerge: Record<'kept' | 'restored', { groups: Membership[] }> }>(
    `mutation ($input: UndoMergeInput!) {
      undoMerge(input: $input) {
        kept { groups { id: groupId role } }
        restored { groups { id: groupId role } }
      }
    }`,
    { input: { id: remove } },
  );
  expect(errors).toBeUndefined();
  expect(data?.undoMerge).toEqual({ kept: { groups: list(own) }, restored: { groups: list(other) } });
});

type Undone = { kept: { groups: Membership[] }; restored: { groups: Membership[] } };

/** Merges and undoes the merge. The histories have all changes. */
async function mergeAndUndo(keep: string, remove: string, meanwhile: () => Promise<unknown>): Promise<Undone> {
  const [kept, removed] = await Promise.all([keep, remove].map((id) => findItem(userKey(id))));
  await logChange(undefined, kept);
  await logChange(undefined, removed);
  await merge({ keep, remove });
  const merged = await findItem(userKey(keep));
  await logChange(kept, merged);
  await logChange(removed, undefined);
  await meanwhile();
  const selection = '{ groups { id: groupId role } }';
  const { data, text } = await execute<{ undoMerge: Undone }>(
    `mutation ($id: ID!) { undoMerge(input: { id: $id }) { kept ${selection} restored ${selection} } }`,
    { id: remove },
  );
  if (!data?.undoMerge) throw new Error(text);
  return data.undoMerge;
}

test('an undo restores the removed user without groups that were deleted meanwhile', async () => {
  const [group, other] = [await storeGroup(), await storeGroup()];
  const [keep, remove] = [await create([]), await create([group, other].map((id) => ({ id, role: 'admin' })))];
  const { restored } = await mergeAndUndo(keep, remove, () => markDeleted(group));
  expect(restored.groups).toEqual([{ id: other, role: 'admin' }]);
});

test('an undo takes the groups of the removed user from the kept one, unless their role has changed since', async () => {
  const [own, merged, changed] = [await storeGroup(), await storeGroup(), await storeGroup()];
  const keep = await create([{ id: own, role: 'member' }]);
  const remove = await create([merged, changed].map((id) => ({ id, role: 'admin' })));
  const groups = [
    { id: own, role: 'owner' },
    { id: changed, role: 'member' },
  ];
  const { kept, restored } = await mergeAndUndo(keep, remove, async () => {
    const input = { id: keep, groups: [...groups, { id: merged, role: 'admin' }] };
    await logWrite(userKey(keep), () => mutate('updateUser', input));
  });
  expect(kept.groups).toEqual(groups);
  expect(restored.groups).toEqual([merged, changed].map((id) => ({ id, role: 'admin' })));
});
