import { expect, test } from 'vitest';
import { tableSource } from '../../../../infra/scripts/transfer/table-source.ts';
import { readChangedUsers } from '../../../../infra/transfer/changes.ts';
import { userKey } from '../../../../lib/dynamodb/keys.ts';
import { append, newChange } from '../../../lib/features/change-log/changes.ts';
import { mutate } from '../../../lib/graphql/client.ts';
import { findItem, logChange, logWrite } from '../../../lib/on-change/log-write.ts';
import { newPerson } from '../../../setup/test-data.ts';

async function createUser(): Promise<string> {
  const { payload, text } = await mutate('createUser', newPerson());
  if (!payload) throw new Error(text);
  await logChange(undefined, await findItem(userKey(payload.user.id)));
  return payload.user.id;
}

const rename = (id: string, name: string) => logWrite(userKey(id), () => mutate('updateUser', { id, name }));
const remove = (id: string) => logWrite(userKey(id), () => mutate('deleteUser', { id }));

test('a table has the users who have changed since a time, by their last change, and those who were deleted', async () => {
  const since = new Date().toISOString();
  const [ada, bob, eve] = [await createUser(), await createUser(), await createUser()];
  await rename(ada, 'Ada');
  await remove(bob);
  const { users, deletions, end } = await readChangedUsers(since, tableSource.readChanges);
  expect(users).toMatchObject([
    { id: eve, version: 1, createdAt: expect.any(String) },
    { id: ada, name: 'Ada', version: 2 },
  ]);
  expect(deletions).toEqual([{ id: bob, deletedAt: expect.any(String) }]);
  // More changes than a page has.
  await append(Array.from({ length: 100 }, () => newChange(eve)));
  await rename(eve, 'Eva');
  const next = await readChangedUsers(end, tableSource.readChanges);
  expect(next).toMatchObject({ users: [{ id: eve, name: 'Eva' }], deletions: [] });
});

test('a user whose record was damaged by hand does not pass for a deleted one', async () => {
  const since = new Date().toISOString();
  await append([newChange('damaged', { item: { pk: 'USER#damaged', name: 1 } })]);
  await expect(readChangedUsers(since, tableSource.readChanges)).rejects.toThrow('The user damaged cannot be read');
});
