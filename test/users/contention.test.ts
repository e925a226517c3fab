import { expect, test } from 'vitest';
import { bare } from '../rest/client.ts';
import { tally } from '../setup/tally.ts';
import { newPerson } from '../setup/test-data.ts';

/** DynamoDB Local is slow where many transactions meet, see test/dynamodb-local.md. */
const SHARE = process.env.TEST_DATABASE === 'dynamodb-local' ? 0.2 : 1;
const [DELETES, EMAIL_CHANGES, RENAMES] = [200 * SHARE, 100 * SHARE, 50 * SHARE];

const createUsers = (number: number) =>
  Promise.all(Array.from({ length: number }, async () => (await bare.newUser()).id));

test(`${DELETES} concurrent deletes of different users all succeed`, async () => {
  const ids = await createUsers(DELETES);
  expect(tally(await Promise.all(ids.map((id) => bare.remove(id))))).toEqual({ 204: DELETES });
});

test(`${EMAIL_CHANGES} concurrent changes of the emails of two users end in 200 or 409`, async () => {
  const ids = await createUsers(2);
  const changes = Array.from({ length: EMAIL_CHANGES }, (_, at) =>
    bare.update(ids[at % 2] ?? '', { email: newPerson().email }),
  );
  const { 200: succeeded = 0, 409: conflicts = 0 } = tally(await Promise.all(changes));
  expect(succeeded).toBeGreaterThan(0);
  expect(succeeded + conflicts).toBe(EMAIL_CHANGES);
});

test(`${RENAMES} concurrent renames of one user end in 200 or 409, and each 200 raised the version once`, async () => {
  const [id = ''] = await createUsers(1);
  const renames = Array.from({ length: RENAMES }, (_, at) => bare.update(id, { name: `Ada ${at}` }));
  const { 200: succeeded = 0, 409: conflicts = 0 } = tally(await Promise.all(renames));
  expect(succeeded + conflicts).toBe(RENAMES);
  expect((await bare.get(id)).headers.etag).toBe(`"${succeeded + 1}"`);
});
