import { expect, test } from 'vitest';
import type { ServiceError } from '../../lib/errors.ts';
import { createUser } from '../../lib/users/create.ts';
import { findUserByEmail } from '../../lib/users/find-by-email.ts';
import { getUser } from '../../lib/users/get.ts';
import { updateUser } from '../../lib/users/update.ts';

const outcome = (result: PromiseSettledResult<unknown>) =>
  result.status === 'fulfilled' ? 'done' : (result.reason as ServiceError).code;

const tally = (results: PromiseSettledResult<unknown>[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(results.map(outcome), (code) => code)).map(([code, all]) => [code, all?.length]),
  );

test('of 50 concurrent creates with one email, one succeeds and 49 throw CONFLICT', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, at) => createUser({ name: `Racer ${at}`, email: at % 2 ? 'a@x.io' : 'A@X.io' })),
  );
  expect(tally(results)).toEqual({ done: 1, CONFLICT: 49 });
  expect(await findUserByEmail('a@x.io')).toBeDefined();
});

test('of 50 concurrent updates of one version, one succeeds and 49 throw PRECONDITION_FAILED', async () => {
  const { id } = await createUser({ name: 'Ada', email: 'ada@x.io' });
  const results = await Promise.allSettled(
    Array.from({ length: 50 }, (_, at) => updateUser({ id, name: `Ada ${at}`, ifVersion: [1] })),
  );
  expect(tally(results)).toEqual({ done: 1, PRECONDITION_FAILED: 49 });
  expect((await getUser({ id })).version).toBe(2);
});
