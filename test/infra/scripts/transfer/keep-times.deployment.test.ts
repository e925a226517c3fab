import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openTableTarget } from '../../../../infra/scripts/transfer/table-target.ts';
import type { UserRow } from '../../../../infra/transfer/rows.ts';
import { parseUuidTime } from '../../../../lib/input/uuidv7.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { listUsers } from '../../../../lib/users/list.ts';
import {
  clearTable,
  createUserAt,
  createUsers,
  index,
  pause,
  START,
  simulatePageIndex,
} from '../../../lib/features/page-index/fixtures.ts';
import { findFullBlocks, findViolations } from '../../../lib/features/page-index/invariant.ts';
import { createNumbers } from '../../../simulation/random.ts';

simulatePageIndex();
beforeEach(clearTable);
afterEach(() => vi.useRealTimers());

const random = createNumbers(64);
const YEAR_MS = 365 * 24 * 3_600_000;

/** Returns rows of random times in the year before START. Two rows share each millisecond. */
const createRows = (count: number, firstLine: number): UserRow[] => {
  const time = () => START - Math.floor(random() * YEAR_MS);
  let last = time();
  return Array.from({ length: count }, (_, at) => {
    const line = firstLine + at;
    last = at % 2 === 0 ? time() : last;
    const user = { name: 'Ada', email: `ada.${line}@example.org` };
    return { line, size: 100, user, kept: { createdAt: new Date(last).toISOString() }, posts: [] };
  });
};

const PAGE = 7;

async function expectPages(ids: string[]): Promise<void> {
  const sorted = ids.toSorted();
  for (let page = 1; page <= Math.ceil(ids.length / PAGE) + 1; page++) {
    const { users, total } = await listUsers({ page, limit: PAGE });
    expect({ page, total, ids: users.map(({ id }) => id) }).toEqual({
      ...{ page, total: ids.length },
      ids: sorted.slice((page - 1) * PAGE, page * PAGE),
    });
  }
}

test('pages and totals are right during an import of older users, with creations, deletions and a running indexer', async () => {
  const ids = await createUsers(20);
  await index();
  const target = await openTableTarget({
    ...{ keepIds: false, keepTimes: true, update: false, despiteErasure: false, startedAt: '', importId: 'one' },
  });
  let lines = 0;
  for (let round = 0; round < 8; round++) {
    const rows = createRows(10, lines + 1);
    lines += rows.length;
    const results = await target.write(rows);
    const created = results.map((result) => ('id' in result && result.result === 'created' ? result.id : ''));
    expect(created.map((id) => new Date(parseUuidTime(id)).toISOString())).toEqual(
      rows.map(({ kept }) => kept.createdAt),
    );
    // Rows of one millisecond keep the order of the file.
    expect(rows.filter((_, at) => at % 2 === 0 && String(created[at]) > String(created[at + 1]))).toEqual([]);
    ids.push(...created, await createUserAt(Date.now()));
    await expectPages(ids);
    const [deleted = ''] = ids.splice(Math.floor(random() * ids.length), 1);
    await deleteUser({ id: deleted }, 'test');
    await pause(Math.floor(random() * 20_000));
    if (round % 2 === 0) await index();
    await expectPages(ids);
  }
  await index();
  await expectPages(ids);
  expect(await findViolations()).toEqual([]);
  expect(await findFullBlocks()).toEqual([]);
});
