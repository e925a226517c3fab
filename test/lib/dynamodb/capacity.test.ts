import { expect, test } from 'vitest';
import { withCapacityUsage } from '../../../lib/dynamodb/requests.ts';
import { getUser } from '../../../lib/users/read.ts';
import { createUser } from '../../setup/create-user.ts';
import { newPerson } from '../../setup/test-data.ts';

test('requests are counted with their capacity', async () => {
  const { used } = await withCapacityUsage(async () => getUser(await createUser(newPerson())));
  expect(used).toEqual({ requests: 2, readUnits: 1, writeUnits: expect.any(Number) });
  expect(used.writeUnits).toBeGreaterThan(0);
});

test('a transaction with a failed condition counts as a request', async () => {
  const person = newPerson();
  await createUser(person);
  const { used } = await withCapacityUsage(() =>
    expect(createUser(person)).rejects.toMatchObject({ code: 'CONFLICT' }),
  );
  // The two requests are the transaction and a read of the user who has the address. DynamoDB returns no units for a
  // failed transaction.
  expect(used).toEqual({ requests: 2, readUnits: 1, writeUnits: 0 });
});
