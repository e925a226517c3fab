import { expect, test, vi } from 'vitest';
import { table } from '../../../lib/dynamodb/client.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { findUserByEmail } from '../../../lib/users/unique-values.ts';
import { updateUser } from '../../../lib/users/write.ts';
import { createUser } from '../../setup/create-user.ts';

/** Runs `change` between the reads of the claim and the user. */
async function findDuring(email: string, change: () => Promise<unknown>) {
  const read = table.send.bind(table);
  vi.spyOn(table, 'send').mockImplementationOnce(async (command) => {
    const claim = await read(command);
    await change();
    return claim;
  });
  return findUserByEmail(email).finally(() => vi.restoreAllMocks());
}

test('a user whose email changes during the lookup is not found by the old one', async () => {
  const { id, email } = await createUser({ name: 'Ada', email: 'ada@example.org' });
  const found = await findDuring(email, () => updateUser({ id, email: 'lovelace@example.org' }, 'test'));
  expect(found).toBeUndefined();
});

test('a user who is deleted during the lookup is not found', async () => {
  const { id, email } = await createUser({ name: 'Bob', email: 'bob@example.org' });
  expect(await findDuring(email, () => deleteUser({ id }, 'test'))).toBeUndefined();
});
