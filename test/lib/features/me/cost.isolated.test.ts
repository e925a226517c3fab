import { readFileSync } from 'node:fs';
import type { PreTokenGenerationV2TriggerEvent } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { handler as customizeToken } from '../../../../functions/customize-token.ts';
import { measureCost } from '../../../../infra/bench/measure.ts';
import { readMyData } from '../../../../lib/features/me/data.ts';
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
test('own records cost one more read unit, three more write units for a creation, one for an update, none for a deletion', async () => {
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
});

/** infra/costs.md contains these rows. */
test('the page of costs has the requests and units of operations at me', async () => {
  const issuer = await startIssuer();
  vi.stubEnv('AUTH_ISSUER', issuer.url);
  vi.stubEnv('AUTH_AUDIENCE', AUDIENCE);
  vi.stubEnv('SELF_LINK', 'verified-email');
  const [found, created, invited, blocked] = ['one', 'two', 'invited', 'blocked'].map(newSignedIn) as [
    ...[Person, Person, Person, Person],
  ];
  await createMe(found, { name: 'Ada' });
  await createUser({ name: 'Ada', email: 'invited@example.org' }, 'test');
  const eve = { name: 'Eve', email: 'blocked@example.org', sub: ['blocked'], status: 'suspended' };
  await createUser(eve, 'test');
  const token = await issuer.sign({ sub: 'home', scope: 'users:self' });
  const event = {
    ...{ triggerSource: 'TokenGeneration_Authentication', userName: 'one', callerContext: { clientId: 'app' } },
    request: { userAttributes: { sub: 'one' }, groupConfiguration: {} },
  } as unknown as PreTokenGenerationV2TriggerEvent; // The function reads only these members.

  const measured: [string, () => Promise<unknown>][] = [
    ['GET', () => requireMe(found)],
    ['sign-in: `found`, stores the time', () => signIn(found, {})],
    ['sign-in: `found`', () => signIn(found, {})],
    ['sign-in: `linked`', () => signIn(invited, {})],
    ['sign-in: `created`, with `selfLink`', () => signIn(created, { name: 'Ada' })],
    [
      'sign-in: `created`',
      () => {
        vi.stubEnv('SELF_LINK', 'off');
        return signIn(newSignedIn('three'), { name: 'Ada' });
      },
    ],
    ['add a login', () => addLogin(found, token)],
    ['download, without posts and changes', () => readMyData(found)],
    ['GET: 403 `BLOCKED`', () => requireMe(blocked).catch(({ reason }) => expect(reason).toBe('BLOCKED'))],
    ["Cognito's sign-in, with `blocks`", () => customizeToken(event)],
  ];
  const rows: string[] = [];
  for (const [name, run] of measured) {
    const { requests, rounds, reads, writes, indexWrites } = await measureCost(run);
    rows.push(`| ${[name, requests, rounds, reads, writes + indexWrites].join(' | ')} |`);
  }
  await issuer.stop();
  vi.unstubAllEnvs();
  const page = readFileSync('infra/costs.md', 'utf8');
  expect(page.split('\n').filter((line) => rows.includes(line))).toEqual(rows);
});
