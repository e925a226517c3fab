import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listUsers } from '../../../lib/users/list.ts';
import type { Repair } from '../../../lib/users/page-index/repair.ts';
import { verifyAll } from '../../../lib/users/page-index/verify.ts';
import { clearTable, showDeleted } from './fixtures.ts';
import { type Event, events, Model } from './model.ts';

const LIMIT = 3;

async function expectPages(users: string[]) {
  const last = Math.ceil(users.length / LIMIT);
  for (let page = 1; page <= last + 1; page++) {
    const shown = await listUsers({ page, limit: LIMIT });
    expect(shown.users.map(({ id }) => id)).toEqual(users.slice((page - 1) * LIMIT, page * LIMIT));
    expect(shown.total).toBe(users.length);
    expect(shown.next !== undefined).toBe(page < last);
  }
}

async function mendsOfAll() {
  const mends: Repair[] = [];
  for await (const found of verifyAll()) mends.push(...found.mends);
  return mends;
}

async function story(chapters: Event[], directoryLags: boolean) {
  await clearTable();
  const model = new Model();
  const end = directoryLags ? showDeleted(model.deleted) : () => {};
  try {
    for (const event of chapters) await model.apply(event);
    await expectPages(model.users);
    await model.catchUp();
    await expectPages(model.users);
    expect(await mendsOfAll()).toEqual([]);
  } finally {
    end();
  }
}

test.each([
  ['as of now', false],
  ['as it was before deletes', true],
])('every page and total is right after anything in any order, with a directory %s', async (_, lags) => {
  await fc.assert(
    fc.asyncProperty(events, (chapters) => story(chapters, lags)),
    { numRuns: 60, interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false },
  );
});
