import { expect, test, vi } from 'vitest';
import { measureCost } from '../../../../infra/bench/measure.ts';
import { deleteMe } from '../../../../lib/features/me/delete.ts';
import { addLogin } from '../../../../lib/features/me/logins.ts';
import { type Person, parsePerson } from '../../../../lib/features/me/person.ts';
import { requireMe } from '../../../../lib/features/me/read.ts';
import { signIn } from '../../../../lib/features/me/sign-in.ts';
import { createMe, updateMe } from '../../../../lib/features/me/write.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { getUser } from '../../../../lib/users/read.ts';
import { createUser, updateUser } from '../../../../lib/users/write.ts';
import { newPerson } from '../../../setup/test-data.ts';
import { AUDIENCE, startIssuer } from '../../auth/issuer.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/logins-fields.json';
});

const newSignedIn = (sub: string) =>
  parsePerson({ sub, iss: 'https://id.example.org', email: `${sub}@example.org`, email_verified: true });

async function measure(run: () => Promise<unknown>) {
  const { reads, writes, indexWrites, rounds } = await measureCost(run);
  return { reads, writes: writes + indexWrites, rounds };
}

/**
 * Returns how many more units `ownOperation` consumes than `operation`. `rounds`: consecutive requests of
 * `ownOperation`.
 */
async function compare(operation: () => Promise<unknown>, ownOperation: () => Promise<unknown>) {
  const [one, own] = [await measure(operation), await measure(ownOperation)];
  return { reads: own.reads - one.reads, writes: own.writes - one.writes, rounds: own.rounds };
}

/** infra/costs.md contains these numbers. */
test('own records cost one more read unit, three more write units for a creation, one for an update, none for a deletion; a login costs eight', async () => {
  const [first, ada, eve] = ['first', 'ada', 'eve'].map(newSignedIn) as [Person, Person, Person];
  // Create one record without measuring it, because the first own record also stores the issuer.
  await createMe(first, { name: 'Ada' });
  const { id } = (await requireMe(first)).user;
  const other = { ...newPerson(), name: 'Ada', sub: ['other'] };

  expect(
    await compare(
      () => getUser({ id }),
      () => requireMe(first),
    ),
  ).toEqual({ reads: 1, writes: 0, rounds: 2 });
  expect(
    await compare(
      () => createUser(other, 'test'),
      () => createMe(ada, { name: 'Ada' }),
    ),
  ).toEqual({ reads: 2, writes: 3, rounds: 5 });
  expect(
    await compare(
      () => updateUser({ id, name: 'Bea' }, 'test'),
      () => updateMe(first, { name: 'Ada' }, {}),
    ),
  ).toEqual({ reads: 1, writes: 1, rounds: 4 });
  await createMe(eve, { name: 'Ada' });
  expect(
    await compare(
      () => deleteUser({ id }, 'test'),
      () => deleteMe(eve, {}),
    ),
  ).toEqual({ reads: 1, writes: 0, rounds: 3 });

  const issuer = await startIssuer();
  Object.assign(process.env, { AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: AUDIENCE });
  const token = await issuer.sign({ sub: 'work', scope: 'users:self' });
  expect(await measure(() => addLogin(ada, token))).toEqual({ reads: 3, writes: 8, rounds: 5 });
  await issuer.stop();
});

/** infra/costs.md contains these numbers. */
test('a sign-in costs as much as a GET if it finds a record, and two more read units than a POST if it creates one', async () => {
  vi.stubEnv('SELF_LINK', 'verified-email');
  const [one, two, invited] = ['one', 'two', 'invited'].map(newSignedIn) as [Person, Person, Person];
  await createMe(one, { name: 'Ada' });
  const { email } = invited as { email: string };
  await createUser({ name: 'Ada', email }, 'test');

  expect(
    await compare(
      () => requireMe(one),
      () => signIn(one, {}),
    ),
  ).toEqual({ reads: 0, writes: 0, rounds: 2 });
  expect(
    await compare(
      () => createMe(newSignedIn('three'), { name: 'Ada' }),
      () => signIn(two, { name: 'Ada' }),
    ),
  ).toEqual({ reads: 2, writes: 0, rounds: 7 });
  expect(await measure(() => signIn(invited, {}))).toEqual({ reads: 5, writes: 10, rounds: 8 });
  vi.unstubAllEnvs();
});
