import { expect, test } from 'vitest';
import { bare } from '../rest/client.ts';

let count = 0;
const person = () => ({ name: 'Ada', email: `contention-${++count}@example.org` });
const createUsers = (number: number) =>
  Promise.all(Array.from({ length: number }, async () => bare.parseUser(await bare.create(person())).id));

/** How many replies had each status. */
const countStatuses = (replies: { status: number }[]) =>
  Object.fromEntries(
    Map.groupBy(replies, ({ status }) => status)
      .entries()
      .map(([status, all]) => [status, all.length]),
  );

test('200 concurrent deletes of different users all succeed', async () => {
  const ids = await createUsers(200);
  expect(countStatuses(await Promise.all(ids.map((id) => bare.remove(id))))).toEqual({ 204: 200 });
});

test('100 concurrent changes of the emails of two users end in 200 or 409', async () => {
  const ids = await createUsers(2);
  const replies = await Promise.all(
    Array.from({ length: 100 }, (_, number) => bare.update(ids[number % 2] ?? '', { email: person().email })),
  );
  expect(replies.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
  expect(replies.some(({ status }) => status === 200)).toBe(true);
});

test('50 concurrent renames of one user end in 200 or 409, and each 200 raised the version once', async () => {
  const [id = ''] = await createUsers(1);
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, number) => bare.update(id, { name: `Ada ${number}` })),
  );
  const { 200: done = 0, 409: conflicts = 0 } = countStatuses(replies);
  expect(done + conflicts).toBe(50);
  expect((await bare.get(id)).headers.etag).toBe(`"${done + 1}"`);
});
