import { expect, test } from 'vitest';
import { bare } from '../rest/client.ts';
import { tally } from '../setup/tally.ts';
import { newPerson } from '../setup/test-data.ts';

const createUsers = (number: number) =>
  Promise.all(Array.from({ length: number }, async () => (await bare.newUser()).id));

test('200 concurrent deletes of different users all succeed', async () => {
  const ids = await createUsers(200);
  expect(tally(await Promise.all(ids.map((id) => bare.remove(id))))).toEqual({ 204: 200 });
});

test('100 concurrent changes of the emails of two users end in 200 or 409', async () => {
  const ids = await createUsers(2);
  const changes = Array.from({ length: 100 }, (_, at) => bare.update(ids[at % 2] ?? '', { email: newPerson().email }));
  const { 200: succeeded = 0, 409: conflicts = 0 } = tally(await Promise.all(changes));
  expect(succeeded).toBeGreaterThan(0);
  expect(succeeded + conflicts).toBe(100);
});

test('50 concurrent renames of one user end in 200 or 409, and each 200 raised the version once', async () => {
  const [id = ''] = await createUsers(1);
  const renames = Array.from({ length: 50 }, (_, at) => bare.update(id, { name: `Ada ${at}` }));
  const { 200: succeeded = 0, 409: conflicts = 0 } = tally(await Promise.all(renames));
  expect(succeeded + conflicts).toBe(50);
  expect((await bare.get(id)).headers.etag).toBe(`"${succeeded + 1}"`);
});
