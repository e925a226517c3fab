import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { AUDIENCE, type Issuer, startIssuer } from '../../auth/issuer.ts';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/logins-fields.json';
});

const { eraseUser } = await import('../../../../lib/features/erasure/request.ts');
const { addLogin } = await import('../../../../lib/features/me/logins.ts');
const { parsePerson } = await import('../../../../lib/features/me/person.ts');
const { findMe } = await import('../../../../lib/features/me/read.ts');
const { createMe } = await import('../../../../lib/features/me/write.ts');
const { deleteUser } = await import('../../../../lib/users/delete.ts');
const { listSubjects } = await import('../../../../lib/users/fields/values.ts');
const { updateUserInput } = await import('../../../../lib/users/input.ts');
const { findStoredUser } = await import('../../../../lib/users/read.ts');
const { nextVersion } = await import('../../../../lib/users/user.ts');
const { updateUser, writeUser } = await import('../../../../lib/users/write.ts');
const { interrupt } = await import('../page-index/fixtures.ts');

let issuer: Issuer;

beforeAll(async () => {
  issuer = await startIssuer();
  Object.assign(process.env, { AUTH_ISSUER: issuer.url, AUTH_AUDIENCE: AUDIENCE });
});
afterAll(() => issuer.stop());

const newPerson = (sub: string) =>
  parsePerson({ sub, iss: issuer.url, email: `${sub}@example.org`, email_verified: true });

/** Runs `meanwhile` before each request of the database that adds the login. Returns the outcomes. */
async function interruptEach(name: string, meanwhile: (id: string, login: string) => Promise<unknown>) {
  const outcomes = new Set<string>();
  for (let moment = 0; ; moment++) {
    const [ada, work] = [newPerson(`${name}-ada-${moment}`), newPerson(`${name}-work-${moment}`)];
    const { id } = await createMe(ada, { name: 'Ada' });
    const token = await issuer.sign({ sub: work.subject, scope: 'users:self' });
    const result = { code: 'done' };
    const attempt = () =>
      addLogin(ada, token).then(
        () => {},
        ({ code }) => Object.assign(result, { code }),
      );
    if (!(await interrupt(attempt, moment, () => meanwhile(id, work.subject)))) return outcomes;
    outcomes.add(result.code);
    const stored = await findStoredUser(id);
    const isAdded = stored ? listSubjects(stored.user).includes(work.subject) : false;
    expect([result.code, isAdded]).toEqual([result.code, result.code === 'done']);
    expect((await findMe(work))?.user.id).toBe(isAdded ? id : undefined);
  }
}

const readSubjects = async (id: string): Promise<string[]> => {
  const stored = await findStoredUser(id);
  return stored ? listSubjects(stored.user) : [];
};

test('a login that an operator adds at the same time is added once', async () => {
  const add = async (id: string, login: string) =>
    updateUser(updateUserInput.parse({ id, sub: [...(await readSubjects(id)), login] }), 'operator');
  expect(await interruptEach('same', add)).toEqual(new Set(['done']));
});

test('a login is added beside another one that an operator adds at the same time', async () => {
  const add = async (id: string, login: string) =>
    updateUser(updateUserInput.parse({ id, sub: [...(await readSubjects(id)), `other-${login}`] }), 'operator');
  expect(await interruptEach('other', add)).toEqual(new Set(['done']));
});

test("no login is added to a record that loses the caller's login at the same time", async () => {
  /** Replaces the subjects as a relink does. */
  const relink = (id: string) =>
    writeUser({
      async plan() {
        const before = await findStoredUser(id);
        const input = updateUserInput.parse({ id, sub: [`moved-${id}`] });
        return before && { before, after: nextVersion(before.user, input, 'system') };
      },
    });
  expect(await interruptEach('moved', relink)).toEqual(new Set(['NOT_FOUND', 'SERVICE_UNAVAILABLE']));
});

test.each([
  ['deleted', (id: string) => deleteUser({ id }, 'operator')],
  ['erased', (id: string) => eraseUser({ id }, 'operator')],
])('no login is added to a record that is %s at the same time', async (name, remove) => {
  expect(await interruptEach(name, remove)).toEqual(new Set(['NOT_FOUND']));
});
