import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { appendUsers } from '../../../../lib/features/page-index/append.ts';
import { readCheckpoint } from '../../../../lib/features/page-index/checkpoint.ts';
import { foldAdjustments } from '../../../../lib/features/page-index/fold.ts';
import { indexPages } from '../../../../lib/features/page-index/indexer.ts';
import { openPageIndex } from '../../../../lib/features/page-index/reader.ts';
import { requestRebuild } from '../../../../lib/features/page-index/rebuild.ts';
import { SETTLING_MS } from '../../../../lib/features/page-index/timing.ts';
import { repairAll, verifyAll } from '../../../../lib/features/page-index/verify.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import {
  crash,
  createUsers,
  createUsersAt,
  fillTable,
  index,
  interrupt,
  pause,
  readTable,
  returnUser,
  START,
  setTime,
  simulatePageIndex,
} from './fixtures.ts';
import { findViolations } from './invariant.ts';

/**
 * State before each test: five indexed users, and four due in the next run. One indexed user is deleted, but still
 * counted. Six users were imported into the range of one block, which the next run splits.
 */
let start: { users: string[]; items: Record<string, unknown>[]; time: number };
let left: string[];

simulatePageIndex();

beforeAll(async () => {
  const users = await createUsers(5);
  await index();
  users.push(...(await createUsersAt([1, 2, 3, 4].map((ms) => Date.now() + ms))));
  await deleteUser({ id: String(users[0]) }, 'test');
  const imported = Array.from({ length: 6 }, (_, at) => uuidv7({ msecs: START + 2_600 + at }));
  for (const id of imported) await returnUser(id);
  users.push(...imported);
  await pause(SETTLING_MS + 1_000);
  start = { users, items: await readTable(), time: Date.now() };
});

async function startOver() {
  await fillTable(start.items);
  setTime(start.time);
  left = start.users.slice(1);
}

afterAll(() => {
  vi.useRealTimers();
});

const remove = (at: number) => async () => {
  const id = String(start.users[at]);
  await deleteUser({ id }, 'test');
  left = left.filter((user) => user !== id);
};

const bringBack = (at: number) => async () => {
  const id = String(start.users[at]);
  await returnUser(id);
  left = [...left, id];
};

const NEVER_SEEN = uuidv7({ msecs: START + 2_500 });
const importUser = async () => {
  await returnUser(NEVER_SEEN);
  left = [...left, NEVER_SEEN];
};

const removeAndBringBack = (at: number) => async () => {
  await remove(at)();
  await bringBack(at)();
};

const rebuild = async () => {
  await requestRebuild();
  await run();
};

const run = () => indexPages();

async function repairEverything() {
  const repairs = [];
  for await (const verified of verifyAll()) repairs.push(...(await repairAll(verified)));
  return repairs;
}

async function expectRight() {
  const { rebuildId } = await readCheckpoint();
  if (rebuildId === undefined) expect(await findViolations()).toEqual([]);
  expect(await openPageIndex().count()).toBe(left.length);
  await index();
  expect(await findViolations()).toEqual([]);
}

/** Calls `disturb` with 0, 1, … from the same start until it returns false. Returns the last number. */
async function forEachNumber(disturb: (at: number) => Promise<boolean>): Promise<number> {
  for (let at = 0; ; at++) {
    await startOver();
    if (!(await disturb(at))) return at;
    await expectRight();
  }
}

const TIME_LIMIT_MS = 120_000;

const INDEXED = 1;
const DUE = 6;
const [LAST_INDEXED, FIRST_DUE] = [4, 5];

test.each([
  ['an index run', 'a delete of an indexed user', run, remove(INDEXED)],
  ['an index run', 'a delete of a user who is due', run, remove(DUE)],
  ['an index run', 'another index run', run, run],
  ['a verification', 'an index run', repairEverything, run],
  ['a verification', 'a delete of an indexed user', repairEverything, remove(INDEXED)],
  ['a delete of a user who is due', 'an index run', remove(DUE), run],
  ['an index run', 'a return of a deleted user', run, bringBack(0)],
  ['an index run', 'the import of an id within the blocks', run, importUser],
  ['an index run', 'a delete and a return of a user who is due', run, removeAndBringBack(DUE)],
  ['a verification', 'a return of a deleted user', repairEverything, bringBack(0)],
  ['a verification', 'a delete and a return of an indexed user', repairEverything, removeAndBringBack(INDEXED)],
  ['a rebuild', 'an index run', rebuild, run],
  ['a rebuild', 'another rebuild', rebuild, rebuild],
  ['a rebuild', 'a return of a deleted user', rebuild, bringBack(0)],
])(
  'counts stay correct when %s has %s before any of its requests',
  async (_, __, whole, other) => {
    expect(await forEachNumber((request) => interrupt(whole, request, other))).toBeGreaterThan(1);
  },
  TIME_LIMIT_MS,
);

test(
  'counts stay correct when users are appended to a block before any request of a fold into it',
  async () => {
    const append = () => appendUsers(() => true);
    const numbers = await forEachNumber(async (request) => {
      await remove(LAST_INDEXED)();
      await remove(FIRST_DUE)();
      await pause(SETTLING_MS + 1);
      return interrupt(() => foldAdjustments(() => true, new Set()), request, append);
    });
    expect(numbers).toBeGreaterThan(4);
  },
  TIME_LIMIT_MS,
);

test('a fold with time for few blocks per run finishes and keeps counts correct', async () => {
  await startOver();
  for (let run = 1; run <= 20; run++) {
    let blocks = 4;
    const { outcome } = await foldAdjustments(() => blocks-- > 0, new Set());
    expect(await findViolations()).toEqual([]);
    // Each of the first two runs is followed by a deletion, so later runs have more to fold.
    if (outcome === 'complete') return;
    if (run < 3) await remove(run)();
    await pause(SETTLING_MS + 1);
  }
  expect.unreachable('the fold goes on for ever');
});

test.each([
  ['an index run', 'lost', run, false],
  ['an index run', 'answered to nobody', run, true],
  ['a rebuild', 'lost', rebuild, false],
  ['a rebuild', 'answered to nobody', rebuild, true],
])(
  'counts stay correct when %s ends at any of its writes, which is %s',
  async (_, __, whole, isWritten) => {
    expect(await forEachNumber((write) => crash(whole, write, isWritten))).toBeGreaterThan(4);
  },
  TIME_LIMIT_MS,
);
