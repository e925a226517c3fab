import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { appendUsers } from '../../../../lib/features/page-index/append.ts';
import { foldTombstones } from '../../../../lib/features/page-index/fold.ts';
import { indexPages } from '../../../../lib/features/page-index/indexer.ts';
import { openPageIndex } from '../../../../lib/features/page-index/reader.ts';
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
  SMALL,
  setTime,
} from './fixtures.ts';
import { findViolations } from './invariant.ts';

/** Five users that are indexed, one of them deleted but not folded, and four that are due. */
let start: { users: string[]; items: Record<string, unknown>[]; time: number };
let left: string[];

beforeAll(async () => {
  const users = await createUsers(5);
  await index();
  users.push(...(await createUsersAt([1, 2, 3, 4].map((ms) => Date.now() + ms))));
  await deleteUser({ id: String(users[0]) }, 'test');
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

const run = () => indexPages({ fanout: SMALL, pause });

async function repairEverything() {
  const repairs = [];
  for await (const verified of verifyAll()) repairs.push(...(await repairAll(verified, pause)));
  return repairs;
}

/** Right now, and once all is indexed and folded. */
async function expectRight() {
  expect(await findViolations()).toEqual([]);
  expect(await openPageIndex().count()).toBe(left.length);
  await index();
  expect(await findViolations()).toEqual([]);
}

/** Starts over for each number from 0 on, up to one that `disturb` says there is not. Returns that one. */
async function forEachNumber(disturb: (at: number) => Promise<boolean>): Promise<number> {
  for (let at = 0; ; at++) {
    await startOver();
    if (!(await disturb(at))) return at;
    await expectRight();
  }
}

/** A machine that has much else to do needs it. */
const TIME_LIMIT_MS = 120_000;

const INDEXED = 1;
const DUE = 6;
/** These two belong into the same block. */
const [LAST_INDEXED, FIRST_DUE] = [4, 5];

test.each([
  ['an index run', 'a delete of an indexed user', run, remove(INDEXED)],
  ['an index run', 'a delete of a user who is due', run, remove(DUE)],
  ['an index run', 'another index run', run, run],
  ['a verification', 'an index run', repairEverything, run],
  ['a verification', 'a delete of an indexed user', repairEverything, remove(INDEXED)],
  ['a delete of a user who is due', 'an index run', remove(DUE), run],
])(
  'counts stay right when %s has %s before any of its requests',
  async (_, __, whole, other) => {
    expect(await forEachNumber((request) => interrupt(whole, request, other))).toBeGreaterThan(1);
  },
  TIME_LIMIT_MS,
);

test(
  'counts stay right when users of a block are appended before any request of a fold into it',
  async () => {
    const append = () => appendUsers({ now: () => Date.now(), pause, fanout: SMALL, hasTimeLeft: () => true });
    const numbers = await forEachNumber(async (request) => {
      await remove(LAST_INDEXED)();
      await remove(FIRST_DUE)();
      await pause(SETTLING_MS + 1);
      return interrupt(
        () =>
          foldTombstones(
            () => Date.now(),
            () => true,
          ),
        request,
        append,
      );
    });
    expect(numbers).toBeGreaterThan(4);
  },
  TIME_LIMIT_MS,
);

test('a fold that has time for few blocks in each run ends, and keeps the counts right', async () => {
  await startOver();
  for (let run = 1; run <= 20; run++) {
    let blocks = 3;
    const { outcome } = await foldTombstones(
      () => Date.now(),
      () => blocks-- > 0,
    );
    expect(await findViolations()).toEqual([]);
    // Deletes go on, and each run finds more.
    if (outcome === 'complete') return;
    if (run < 3) await remove(run)();
    await pause(SETTLING_MS + 1);
  }
  expect.unreachable('the fold goes on for ever');
});

test.each([
  ['lost', false],
  ['answered to nobody', true],
])(
  'counts stay right when an index run ends at any of its writes, which is %s',
  async (_, isWritten) => {
    expect(await forEachNumber((write) => crash(run, write, isWritten))).toBeGreaterThan(4);
  },
  TIME_LIMIT_MS,
);
