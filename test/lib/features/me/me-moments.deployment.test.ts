import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Deployed, deploy } from '../../users/fields/deploy.ts';

const OLD = '2026-01-31T12:00:00.000Z';

let service: Deployed;
let me: Awaited<ReturnType<typeof loadOwnRecords>>;
let empty: Record<string, unknown>[];

const ACCOUNT = { account: { type: 'string', subject: true, self: 'hidden' } } as const;

beforeEach(async () => {
  await redeploy(ACCOUNT);
  return () => vi.restoreAllMocks();
});

async function redeploy(fields: Parameters<typeof deploy>[0]): Promise<void> {
  service = await deploy(fields);
  me = await loadOwnRecords();
  await service.clearTable();
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue();
  // Run the backfill, because own records need a finished one.
  await service.run();
  empty = await service.readTable();
}

async function loadOwnRecords() {
  const { parsePerson } = await import('../../../../lib/features/me/person.ts');
  const { findMe } = await import('../../../../lib/features/me/read.ts');
  const { createMe, updateMe } = await import('../../../../lib/features/me/write.ts');
  const { deleteMe } = await import('../../../../lib/features/me/delete.ts');
  const { signIn } = await import('../../../../lib/features/me/sign-in.ts');
  const { createUser, updateUser } = await import('../../../../lib/users/write.ts');
  const { deleteUser } = await import('../../../../lib/users/delete.ts');
  const { eraseUser } = await import('../../../../lib/features/erasure/request.ts');
  const parse = (sub: string) =>
    parsePerson({ sub, iss: 'https://id.example.org', email: 'ada@example.org', email_verified: true });
  const [person, other] = [parse('auth0|ada'), parse('auth0|other')];
  const report = (result: Promise<unknown>): Promise<string> =>
    result.then(
      () => 'done',
      ({ reason, code, ...error }) => {
        if (code === undefined) throw error;
        return reason ?? code;
      },
    );
  return {
    create: () => createMe(person, { name: 'Ada' }),
    update: () => updateMe(person, { name: 'Ada King' }, {}),
    remove: () => deleteMe(person, {}),
    signIn: () => signIn(person, { name: 'Ada' }),
    signInOther: () => signIn(other, { name: 'Other' }),
    invite: async () => (await createUser({ name: 'Invited', email: 'ada@example.org' }, 'system')).user.id,
    operators: {
      setSubject: (id: string) => updateUser({ id, account: 'auth0|other' } as { id: string }, 'system'),
      rename: (id: string) => updateUser({ id, name: 'Renamed' }, 'system'),
      annotate: (id: string) => updateUser({ id, note: 'Annotated' } as { id: string }, 'system'),
      age: (id: string) => updateUser({ id, lastSeen: OLD } as { id: string }, 'system'),
      deleteUser: (id: string) => deleteUser({ id }, 'system'),
      eraseUser: (id: string) => eraseUser({ id }, 'system'),
    },
    find: async () => (await findMe(person))?.user,
    report,
  };
}

/** Expects at most one record of the person, and no items left from a failed write. */
async function expectConsistent(moment: number): Promise<void> {
  const { 'page count that differs': _, ...found } = (await service.checkTable()).found;
  const users = (await service.readTable()).filter(({ sk }) => sk === 'USER');
  expect({ moment, found, isOne: users.length <= 1 }).toEqual({ moment, found: {}, isOne: true });
}

describe.each([
  ['is lost', false],
  ['is done, and its answer lost', true],
])('a request that dies at any write, which %s', (_, isWritten) => {
  test('POST: the next request creates the record or finds it', async () => {
    let crashes = 0;
    for (; ; crashes++) {
      await service.fillTable(empty);
      if (!(await service.crash(me.create, crashes, isWritten))) break;
      const created = (await me.find()) !== undefined;
      expect(await me.report(me.create())).toBe(created ? 'SUBJECT_TAKEN' : 'done');
      expect(await me.find()).toMatchObject({ name: 'Ada', email: 'ada@example.org', version: 1 });
      await expectConsistent(crashes);
    }
    // There are at least two writes: the write count and the user.
    expect(crashes).toBeGreaterThanOrEqual(2);
  });

  test('DELETE: the next request deletes the record or finds it deleted, and no POST restores it', async () => {
    await me.create();
    const start = await service.readTable();
    let crashes = 0;
    for (; ; crashes++) {
      await service.fillTable(start);
      if (!(await service.crash(me.remove, crashes, isWritten))) break;
      const deleted = (await me.find()) === undefined;
      expect(await me.report(me.remove())).toBe(deleted ? 'NOT_FOUND' : 'done');
      expect(await me.report(me.create())).toBe('SUBJECT_DELETED');
      await expectConsistent(crashes);
    }
    expect(crashes).toBeGreaterThanOrEqual(1);
  });
});

/** Repeats `run` from `start`, and runs `other` before its first request, then before its second, and so on. */
async function interruptEverywhere(
  start: Record<string, unknown>[],
  run: () => Promise<unknown>,
  other: () => Promise<unknown>,
  check: (results: { run: string; other: string }) => Promise<void>,
  minimum = 3,
): Promise<void> {
  let moments = 0;
  for (let isInterrupted = true; isInterrupted; moments++) {
    await service.fillTable(start);
    const results = { run: '', other: '' };
    isInterrupted = await service.interrupt(
      async () => {
        results.run = await me.report(run());
      },
      moments,
      async () => {
        results.other = await me.report(other());
      },
    );
    if (isInterrupted) await check(results);
    await expectConsistent(moments);
  }
  expect(moments).toBeGreaterThan(minimum);
}

test('of two POSTs that overlap at any moment, one creates the record', async () => {
  await interruptEverywhere(empty, me.create, me.create, async (results) => {
    expect([results.run, results.other].toSorted()).toEqual(['SUBJECT_TAKEN', 'done']);
    expect(await me.find()).toMatchObject({ version: 1 });
  });
});

test('a POST never restores a record that was created and deleted meanwhile', async () => {
  const comeAndGo = async () => {
    await me.create();
    await me.remove();
  };
  await interruptEverywhere(empty, me.create, comeAndGo, async (results) => {
    expect(results).toEqual({ run: 'SUBJECT_DELETED', other: 'done' });
    expect(await me.find()).toBeUndefined();
  });
});

test('a PATCH and a DELETE that overlap at any moment leave no record', async () => {
  await me.create();
  const start = await service.readTable();
  for (const [run, other] of [
    [me.update, me.remove],
    [me.remove, me.update],
  ] as const)
    await interruptEverywhere(start, run, other, async (results) => {
      const [update, remove] = run === me.update ? [results.run, results.other] : [results.other, results.run];
      expect(remove).toBe('done');
      expect(['done', 'NOT_FOUND']).toContain(update);
      expect(await me.find()).toBeUndefined();
    });
});

describe('a sign-in that links a record', () => {
  let id: string;
  let start: Record<string, unknown>[];

  beforeEach(async () => {
    vi.stubEnv('SELF_LINK', 'verified-email');
    id = await me.invite();
    start = await service.readTable();
    return () => vi.unstubAllEnvs();
  });

  test.each([
    ['is lost', false],
    ['is done, and its answer lost', true],
  ])('and dies at any write, which %s, is followed by one that links or finds it', async (_, isWritten) => {
    let crashes = 0;
    for (; ; crashes++) {
      await service.fillTable(start);
      if (!(await service.crash(me.signIn, crashes, isWritten))) break;
      const isLinked = (await me.find()) !== undefined;
      expect(await me.signIn()).toMatchObject({ user: { id, version: 2 }, outcome: isLinked ? 'found' : 'linked' });
      await expectConsistent(crashes);
    }
    // The writes are the count, the issuer and the user.
    expect(crashes).toBeGreaterThanOrEqual(3);
  });

  test('overlaps with one of another person at any moment: one links', async () => {
    await interruptEverywhere(start, me.signIn, me.signInOther, async (results) => {
      expect([results.run, results.other].toSorted()).toEqual(['EMAIL_TAKEN', 'done']);
      expect((await me.find())?.id).toBe(results.run === 'done' ? id : undefined);
    });
  });

  test('overlaps with one of the same person at any moment: both return the record', async () => {
    await interruptEverywhere(start, me.signIn, me.signIn, async (results) => {
      expect(results).toEqual({ run: 'done', other: 'done' });
      expect(await me.find()).toMatchObject({ id, version: 2 });
    });
  });

  test('overlaps at any moment with an operator who sets the subject: one succeeds', async () => {
    const setSubject = () => me.operators.setSubject(id);
    await interruptEverywhere(start, me.signIn, setSubject, async (results) => {
      expect([
        ['done', 'SUBJECT_FIXED'],
        ['EMAIL_TAKEN', 'done'],
      ]).toContainEqual([results.run, results.other]);
      expect((await me.find())?.id).toBe(results.run === 'done' ? id : undefined);
    });
  });

  test('overlaps with another change at any moment: both succeed', async () => {
    const rename = () => me.operators.rename(id);
    await interruptEverywhere(start, me.signIn, rename, async (results) => {
      expect(results).toEqual({ run: 'done', other: 'done' });
      expect(await me.find()).toMatchObject({ id, name: 'Renamed', version: 3 });
    });
  });

  test.each(['deleteUser', 'eraseUser'] as const)('overlaps with %s at any moment', async (name) => {
    const remove = () => me.operators[name](id);
    await interruptEverywhere(start, me.signIn, remove, async (results) => {
      // If the deletion came first, the person has a new record, or must wait for a day.
      expect(results.other).toBe('done');
      expect(['done', 'SUBJECT_DELETED']).toContain(results.run);
      expect((await me.find())?.id).not.toBe(id);
    });
  });
});

describe.each([
  ['sorts', true],
  ['does not sort', false],
])('a time of the last sign-in that %s', (_, sort) => {
  let id: string;
  let aged: Record<string, unknown>[];

  beforeEach(async () => {
    const lastSeen = { type: 'dateTime', signIn: true, sort, self: 'read' } as const;
    await redeploy({ ...ACCOUNT, lastSeen, note: { type: 'string', self: 'read' } });
    id = (await me.create()).id;
    await me.operators.age(id);
    aged = await service.readTable();
  });

  const expectTime = async (values: object) => {
    const found = await me.find();
    expect(found).toMatchObject({ id, version: 3, ...values });
    expect(found?.own.lastSeen).not.toBe(OLD);
  };

  /** Interrupts the sign-in by `other` at every moment, then `other` by the sign-in. */
  async function overlap(other: () => Promise<unknown>, check: Parameters<typeof interruptEverywhere>[3]) {
    await interruptEverywhere(aged, me.signIn, other, check, 1);
    await interruptEverywhere(aged, other, me.signIn, check, 1);
  }

  test('is not lost by a change that overlaps at any moment, and loses none', () =>
    overlap(
      () => me.operators.annotate(id),
      async (results) => {
        expect(results).toEqual({ run: 'done', other: 'done' });
        await expectTime({ own: expect.objectContaining({ note: 'Annotated' }) });
      },
    ));

  test('never restores a record that is deleted at any moment', () =>
    overlap(
      () => me.operators.deleteUser(id),
      async (results) => {
        expect([results.run, results.other]).toContain('done');
        expect(await me.find()).toBeUndefined();
      },
    ));

  test.each([
    ['is lost', false],
    ['is done, and its answer lost', true],
  ])('is stored by the next sign-in after one that dies at any write, which %s', async (_, isWritten) => {
    let crashes = 0;
    for (; ; crashes++) {
      await service.fillTable(aged);
      if (!(await service.crash(me.signIn, crashes, isWritten))) break;
      expect(await me.signIn()).toMatchObject({ outcome: 'found', user: { id, version: 2 } });
      expect((await me.find())?.own.lastSeen).not.toBe(OLD);
      await expectConsistent(crashes);
    }
    expect(crashes).toBeGreaterThanOrEqual(1);
  });
});
