import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';

vi.hoisted(() => {
  process.env.FIELDS_FILE = 'test/setup/group-admin-fields.json';
  process.env.GROUP_CLAIM = 'org_id';
});

const { measureCost } = await import('../../../../infra/bench/measure.ts');
const { deleteGroup } = await import('../../../../lib/features/groups/write.ts');
const { requireAdministrator } = await import('../../../../lib/features/my-group/administrator.ts');
const { findMember, listMembers } = await import('../../../../lib/features/my-group/read.ts');
const { addMember, removeMember, updateMember } = await import('../../../../lib/features/my-group/write.ts');
const { deleteUser } = await import('../../../../lib/users/delete.ts');
const { listMemberships } = await import('../../../../lib/users/fields/values.ts');
const { findStoredUser } = await import('../../../../lib/users/read.ts');
const { findUserByEmail } = await import('../../../../lib/users/unique-values.ts');
const { updateUser } = await import('../../../../lib/users/write.ts');
const { interrupt } = await import('../page-index/fixtures.ts');
const { createCompany, createMember, createUser } = await import('./companies.ts');

type Company = Awaited<ReturnType<typeof createCompany>>;

const newClaims = ({ externalId }: Company, sub: string) => ({
  sub,
  iss: 'https://id.example.org',
  org_id: externalId,
});

async function createAdministrator(company: Company) {
  const sub = randomUUID();
  const { id } = await createUser({ sub, groups: [{ id: company.id, role: 'admin' }] });
  return { id, claims: newClaims(company, sub) };
}

const setRole = (id: string, { id: group }: Company, role: string | undefined) =>
  updateUser({ id, groups: role ? [{ id: group, role }] : [] } as { id: string }, 'operator');

const readRole = async (id: string, { id: group }: Company) => {
  const user = (await findStoredUser(id))?.user;
  return user && listMemberships(user).find((each) => each.id === group)?.role;
};

type Outcome = { reason?: string };

const settle = (run: Promise<unknown>): Promise<Outcome> =>
  run.then(
    () => ({}),
    ({ code, reason = code }) => ({ reason }),
  );

type Scene = {
  company: Company;
  ada: Awaited<ReturnType<typeof createAdministrator>>;
  bob: { id: string };
  email: string;
};

async function createScene(role = 'member'): Promise<Scene> {
  const company = await createCompany();
  const [ada, bob] = [await createAdministrator(company), await createMember(company, { role })];
  return { company, ada, bob, email: `${randomUUID()}@example.org` };
}

const operations = {
  add: async ({ ada, email }: Scene) => addMember(await requireAdministrator(ada.claims), { name: 'New', email }),
  update: async ({ ada, bob }: Scene) =>
    updateMember(await requireAdministrator(ada.claims), { id: bob.id, name: 'New', role: 'owner' }),
  remove: async ({ ada, bob }: Scene) => removeMember(await requireAdministrator(ada.claims), bob),
};

/** Runs `meanwhile` before each request of the database that the operation sends. Returns the outcomes. */
async function interruptEach(
  run: (scene: Scene) => Promise<unknown>,
  meanwhile: (scene: Scene) => Promise<unknown>,
  check: (scene: Scene, outcome: Outcome) => Promise<void>,
  role?: string,
): Promise<Set<string | undefined>> {
  const outcomes = new Set<string | undefined>();
  for (let moment = 0; ; moment++) {
    const scene = await createScene(role);
    let outcome: Outcome = {};
    const attempt = async () => {
      outcome = await settle(run(scene));
    };
    if (!(await interrupt(attempt, moment, () => meanwhile(scene)))) return outcomes;
    outcomes.add(outcome.reason);
    await check(scene, outcome);
  }
}

describe('a group that is deleted at any moment of', () => {
  const deleteIt = ({ company }: Scene) => deleteGroup({ id: company.id, removeMembers: true }, 'operator');

  test('addMember gets no member after the deletion is seen', async () => {
    const outcomes = await interruptEach(operations.add, deleteIt, async ({ email, company }, { reason }) => {
      const user = await findUserByEmail(email);
      expect(reason === undefined ? user && listMemberships(user) : user).toEqual(
        reason === undefined ? [{ id: company.id, role: 'member' }] : undefined,
      );
    });
    expect(outcomes).toEqual(new Set(['NO_GROUP', undefined]));
  });

  test.each(['update', 'remove'] as const)('%s ends the surface', async (name) => {
    const outcomes = await interruptEach(operations[name], deleteIt, async ({ ada }) => {
      expect(await settle(requireAdministrator(ada.claims))).toEqual({ reason: 'NO_GROUP' });
    });
    expect(outcomes).toEqual(new Set(['NO_GROUP', undefined]));
  });
});

describe('an administrator who loses the role at any moment', () => {
  const demote = ({ ada, company }: Scene) => setRole(ada.id, company, 'member');

  test('removes no other administrator afterwards: one always remains', async () => {
    for (const run of [
      operations.remove,
      ({ ada, bob }: Scene) =>
        requireAdministrator(ada.claims).then((administrator) =>
          updateMember(administrator, { id: bob.id, role: 'member' }),
        ),
    ])
      expect(
        await interruptEach(
          run,
          demote,
          async ({ bob, company }, { reason }) => {
            expect([reason, await readRole(bob.id, company)]).toEqual([reason, 'admin']);
          },
          'admin',
        ),
      ).toEqual(new Set(['NO_GROUP_ADMIN']));
  });

  test('leaves only while another one has the role', async () => {
    const leave = async ({ ada }: Scene) => removeMember(await requireAdministrator(ada.claims), ada);
    const outcomes = await interruptEach(
      leave,
      ({ bob, company }) => setRole(bob.id, company, undefined),
      async ({ ada, company }) => {
        expect(await readRole(ada.id, company)).toBe('admin');
      },
      'admin',
    );
    expect(outcomes).toEqual(new Set(['LAST_ADMIN']));
  });
});

test.each([
  ['removed from the group', ({ bob, company }: Scene) => setRole(bob.id, company, undefined)],
  ['deleted', ({ bob }: Scene) => deleteUser({ id: bob.id }, 'operator')],
])('a member who is %s at any moment stays so', async (_, meanwhile) => {
  const check = async ({ bob, company }: Scene) => expect(await readRole(bob.id, company)).toBeUndefined();
  expect(await interruptEach(operations.update, meanwhile, check)).toEqual(new Set(['NOT_FOUND']));
  expect(await interruptEach(operations.remove, meanwhile, check)).toEqual(new Set(['NOT_FOUND', undefined]));
});

test('an own field that is not searched, and another write of the same member, are kept', async () => {
  const outcomes = await interruptEach(
    operations.update,
    ({ bob }) => updateUser({ id: bob.id, note: 'kept' } as { id: string }, 'operator'),
    async ({ bob, company }) => {
      const user = (await findStoredUser(bob.id))?.user;
      expect(user).toMatchObject({ name: 'New', own: { note: 'kept' } });
      expect(await readRole(bob.id, company)).toBe('owner');
    },
  );
  expect(outcomes).toEqual(new Set([undefined]));
});

describe('requests and units', () => {
  let scene: Scene;
  let administrator: Awaited<ReturnType<typeof requireAdministrator>>;

  beforeAll(async () => {
    scene = await createScene();
    administrator = await requireAdministrator(scene.ada.claims);
    // Starts the hour of the limit.
    await updateMember(administrator, { id: scene.bob.id });
  });

  const measure = async (run: () => Promise<unknown>) => {
    const { requests, reads, writes, indexWrites } = await measureCost(run);
    return [requests, reads, writes + indexWrites];
  };

  test('are the same for a user outside of the group and for an unknown id', async () => {
    const foreign = await createMember(await createCompany());
    const unknown = '01890000-0000-7000-8000-000000000000';
    for (const run of [
      (id: string) => findMember(administrator.group, id),
      (id: string) => updateMember(administrator, { id, role: 'admin' }),
      (id: string) => removeMember(administrator, { id }),
    ])
      expect(await measure(() => settle(run(foreign.id)))).toEqual(await measure(() => settle(run(unknown))));
  });

  test('of each operation', async () => {
    const { group } = administrator;
    expect(await measure(() => requireAdministrator(scene.ada.claims))).toEqual([4, 4, 0]);
    expect(await measure(() => findMember(group, scene.bob.id))).toEqual([1, 1, 0]);
    const email = `${randomUUID()}@example.org`;
    expect(await measure(() => addMember(administrator, { name: 'Eve', email }))).toEqual([3, 1, 16]);
    expect(await measure(() => updateMember(administrator, { id: scene.bob.id, role: 'admin' }))).toEqual([3, 1, 8]);
    expect(await measure(() => removeMember(administrator, scene.bob))).toEqual([3, 1, 8]);
    const members = await Promise.all(Array.from({ length: 20 }, () => createMember(scene.company)));
    expect(await measure(() => removeMember(administrator, { id: members[0]?.id ?? '' }))).toEqual([3, 1, 6]);
    expect(await measure(() => listMembers(group, { first: 20 }, () => {}))).toEqual([6, 13.5, 0]);
  });
});
