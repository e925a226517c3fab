import { expect, test, vi } from 'vitest';
import { table } from '../../lib/dynamodb/client.ts';
import { createUser } from '../../lib/users/create.ts';
import { deleteUser } from '../../lib/users/delete.ts';
import { findUserByEmail } from '../../lib/users/find-by-email.ts';
import { updateUser } from '../../lib/users/update.ts';

/** Finds by an address, and lets something happen once it is known whose it is, but not yet who that is. */
async function findWhile(email: string, happening: () => Promise<unknown>) {
  const read = table.send.bind(table);
  vi.spyOn(table, 'send').mockImplementationOnce(async (command) => {
    const claim = await read(command);
    await happening();
    return claim;
  });
  return findUserByEmail(email).finally(() => vi.restoreAllMocks());
}

test('who leaves an address while it is looked up is not found by it', async () => {
  const { id, email } = await createUser({ name: 'Ada', email: 'ada@example.org' });
  const found = await findWhile(email, () => updateUser({ id, email: 'lovelace@example.org' }));
  expect(found).toBeUndefined();
});

test('who is deleted while the address is looked up is not found', async () => {
  const { id, email } = await createUser({ name: 'Bob', email: 'bob@example.org' });
  expect(await findWhile(email, () => deleteUser({ id }))).toBeUndefined();
});
