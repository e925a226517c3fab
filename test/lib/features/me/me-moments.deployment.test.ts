import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Deployed, deploy } from '../../users/fields/deploy.ts';

let service: Deployed;
let me: Awaited<ReturnType<typeof loadOwnRecords>>;
let empty: Record<string, unknown>[];

beforeEach(async () => {
  service = await deploy({ account: { type: 'string', subject: true, self: 'hidden' } });
  me = await loadOwnRecords();
  await service.clearTable();
  for (const level of ['info', 'warn'] as const) vi.spyOn(console, level).mockReturnValue();
  // Run the backfill, because own records need a finished one.
  await service.run();
  empty = await service.readTable();
  return () => vi.restoreAllMocks();
});

async function loadOwnRecords() {
  const { parsePerson } = await import('../../../../lib/features/me/person.ts');
  const { findMe } = await import('../../../../lib/features/me/read.ts');
  const { createMe, updateMe } = await import('../../../../lib/features/me/write.ts');
  const { deleteMe } = await import('../../../../lib/features/me/delete.ts');
  const person = parsePerson({
    sub: 'auth0|ada',
    iss: 'https://id.example.org',
    email: 'ada@example.org',
    email_verified: true,
  });
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
  expect(moments).toBeGreaterThan(3);
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
