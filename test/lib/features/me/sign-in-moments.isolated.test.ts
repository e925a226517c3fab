import { beforeEach, expect, test, vi } from 'vitest';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/sign-in-fields.json';
});

const { parsePerson } = await import('../../../../lib/features/me/person.ts');
const { signIn } = await import('../../../../lib/features/me/sign-in.ts');
const { createMe } = await import('../../../../lib/features/me/write.ts');
const { deleteUser } = await import('../../../../lib/users/delete.ts');
const { updateUserInput } = await import('../../../../lib/users/input.ts');
const { findStoredUser } = await import('../../../../lib/users/read.ts');
const { nextVersion } = await import('../../../../lib/users/user.ts');
const { createUser, updateUser, writeUser } = await import('../../../../lib/users/write.ts');
const { interrupt } = await import('../page-index/fixtures.ts');

beforeEach(() => {
  vi.stubEnv('SELF_LINK', 'verified-email');
  vi.stubEnv('EMAIL_FOLLOWS', 'on');
  return () => vi.unstubAllEnvs();
});

const newPerson = (sub: string, email = `${sub}@example.org`) =>
  parsePerson({ sub, iss: 'https://id.example.org', email, email_verified: true });

const block = (id: string) =>
  updateUser(updateUserInput.parse({ id, name: 'Changed', status: 'suspended' }), 'operator');

/** Gives the record to another person, as a relink does. */
const relink = (id: string) =>
  writeUser({
    async plan() {
      const before = await findStoredUser(id);
      const input = updateUserInput.parse({ id, name: 'Changed', sub: `other-${id}` });
      return before && { before, after: nextVersion(before.user, input, 'operator') };
    },
  });

/**
 * Runs `meanwhile` before each request of the database that a sign-in sends. Returns the outcomes, and fails if the
 * answer or the record shows a sign-in after `meanwhile`.
 */
async function interruptEach(
  name: string,
  meanwhile: (id: string) => Promise<unknown>,
  prepare: (sub: string) => Promise<{ id: string }>,
) {
  const outcomes = new Set<string>();
  for (let moment = 0; ; moment++) {
    const sub = `${name}-${moment}`;
    const { id } = await prepare(sub);
    const result: { outcome: string; name?: string } = { outcome: '' };
    const attempt = () =>
      signIn(newPerson(sub, `new-${sub}@example.org`), { name: 'New' }).then(
        ({ outcome, user }) => Object.assign(result, { outcome, name: user.name }),
        ({ code, reason = code }) => Object.assign(result, { outcome: reason }),
      );
    let after: unknown;
    const change = async () => {
      await meanwhile(id);
      after = (await findStoredUser(id))?.user;
    };
    if (!(await interrupt(attempt, moment, change))) return outcomes;
    outcomes.add(result.outcome);
    expect([moment, result.name]).not.toEqual([moment, 'Changed']);
    expect((await findStoredUser(id))?.user).toEqual(after);
  }
}

const createRecord = (sub: string) => createMe(newPerson(sub), { name: 'Ada' });
const invite = async (sub: string) =>
  (await createUser({ name: 'Ada', email: `new-${sub}@example.org` }, 'operator')).user;

test.each([
  ['blocked', block, ['BLOCKED']],
  ['relinked', relink, ['SERVICE_UNAVAILABLE', 'created']],
] as const)(
  'a sign-in neither changes nor shows a record that is %s at the same time',
  async (name, meanwhile, expected) => {
    expect(await interruptEach(`found-${name}`, meanwhile, createRecord)).toEqual(new Set(expected));
  },
);

test.each([
  ['blocked', block, ['BLOCKED']],
  ['relinked', relink, ['EMAIL_TAKEN']],
  ['deleted', (id: string) => deleteUser({ id }, 'operator'), ['created']],
] as const)('no record is linked that is %s at the same time', async (name, meanwhile, expected) => {
  expect(await interruptEach(`waiting-${name}`, meanwhile, invite)).toEqual(new Set(expected));
});
