import { expect, test, vi } from 'vitest';
import { newPerson } from '../../../setup/test-data.ts';
import { execute } from '../../graphql/client.ts';
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
