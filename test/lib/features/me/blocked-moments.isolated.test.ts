import { expect, test, vi } from 'vitest';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/blocking-fields.json';
  process.env.SELF_DELETE = 'erase';
});

const { findErasure } = await import('../../../../lib/features/erasure/record.ts');
const { deleteMe } = await import('../../../../lib/features/me/delete.ts');
const { parsePerson } = await import('../../../../lib/features/me/person.ts');
const { createMe, updateMe } = await import('../../../../lib/features/me/write.ts');
const { deleteUser } = await import('../../../../lib/users/delete.ts');
const { findStoredUser } = await import('../../../../lib/users/read.ts');
const { createUser, updateUser } = await import('../../../../lib/users/write.ts');
const { interrupt } = await import('../page-index/fixtures.ts');

type Person = ReturnType<typeof parsePerson>;

test.each([
  ['updateMe', (ada: Person) => updateMe(ada, { name: 'Ada King' }, {})],
  ['deleteMe', (ada: Person) => deleteMe(ada, {})],
])('%s fails if a block arrives at any moment before its write', async (method, run) => {
  const outcomes: string[] = [];
  for (let moment = 0; ; moment++) {
    const sub = `${method}-${moment}`;
    const claims = { sub, iss: 'https://id.example.org', email: `${sub}@example.org`, email_verified: true };
    const ada = parsePerson(claims);
    const { id } = await createMe(ada, { name: 'Ada' });
    let outcome = 'done';
    const attempt = () =>
      run(ada).then(
        () => {},
        ({ reason }) => {
          outcome = reason;
        },
      );
    // The compiler does not know the own fields.
    const blocked = { id, status: 'suspended' } as { id: string };
    if (!(await interrupt(attempt, moment, () => updateUser(blocked, 'operator')))) break;
    const stored = await findStoredUser(id);
    expect(stored?.user).toMatchObject({ name: 'Ada', by: 'operator', own: { status: 'suspended' } });
    outcomes.push(outcome);
  }
  expect(new Set(outcomes)).toEqual(new Set(['BLOCKED']));
});

test('deleteMe erases no earlier record after a block', async () => {
  const outcomes = new Set<string>();
  for (let moment = 0; ; moment++) {
    const sub = `earlier-${moment}`;
    // The compiler does not know the own fields.
    const input = (name: string) =>
      ({ name, email: `${name}-${sub}@example.org`, sub: [sub] }) as { name: string; email: string };
    const { user: earlier } = await createUser(input('first'), 'operator');
    await deleteUser({ id: earlier.id }, 'operator');
    const { user } = await createUser(input('second'), 'operator');
    const attempt = () =>
      deleteMe(parsePerson({ sub, iss: 'https://id.example.org' }), {}).then(
        () => {},
        ({ code, reason = code }) => outcomes.add(reason),
      );
    let isErased = false;
    const block = async () => {
      isErased = (await findErasure(earlier.id)) !== undefined;
      await updateUser({ id: user.id, status: 'suspended' } as { id: string }, 'operator');
    };
    if (!(await interrupt(attempt, moment, block))) break;
    expect([moment, (await findErasure(earlier.id)) !== undefined]).toEqual([moment, isErased]);
  }
  expect(outcomes).toEqual(new Set(['BLOCKED', 'SERVICE_UNAVAILABLE']));
});
