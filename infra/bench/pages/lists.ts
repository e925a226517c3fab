import assert from 'node:assert/strict';
import { filterCriterion, sortCriterion } from '../../../lib/features/filters/criteria.ts';
import { filterFields } from '../../../lib/features/filters/entries.ts';
import { type Criterion, creationCriterion } from '../../../lib/users/criteria.ts';
import { type Order, queryUsers } from '../../../lib/users/directory.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { loadUsers } from '../load.ts';
import { type Cost, measureCost, medianTime } from '../measure.ts';

const choosePlan = (number: number) => ({ plan: number % 2 === 0 ? 'pro' : 'free' });

/** `time` is in milliseconds. */
export type ListReading = { list: string; page: string; cost: Cost; time: number };

export async function measureLists(users: number, limit: number): Promise<ListReading[]> {
  await loadUsers(0, users, Date.now() - DAY_MS, { createFields: choosePlan });
  const readings: ListReading[] = [];
  for (const [list, criteria, order] of await createLists()) {
    const first = { criteria, order, limit };
    const last = { ...first, after: await findLastPage(criteria, order, limit) };
    for (const [page, query] of Object.entries({ first, last })) {
      process.stderr.write(`${list}, ${page} page\n`);
      const found = await listUsers(query);
      assert.equal(found.users.length, limit);
      assert.equal(found.next === undefined, page === 'last');
      const cost = await measureCost(() => listUsers(query));
      readings.push({ list, page, cost, time: await medianTime(() => listUsers(query), 25) });
    }
  }
  return readings;
}

const DAY_MS = 24 * 3_600_000;

type List = [name: string, criteria: Criterion[], order: Order];

async function createLists(): Promise<List[]> {
  const [plan] = filterFields;
  const [oldest] = (await queryUsers(undefined, 1)).users;
  assert(plan && oldest);
  const pro = filterCriterion(plan, 'pro');
  const byName = sortCriterion('name');
  const period = creationCriterion({}, { after: Date.parse(oldest.createdAt) });
  return [
    ['plan=pro', [pro], 'asc'],
    ['plan=pro&order=desc', [pro], 'desc'],
    ['sort=name', [byName], 'asc'],
    ['sort=name&order=desc', [byName], 'desc'],
    ['createdAfter=…', [period], 'asc'],
    ['plan=pro&createdAfter=…', [pro, period], 'asc'],
    ['sort=name&plan=pro', [byName, pro], 'asc'],
  ];
}

/**
 * Returns the cursor before the last page. In the opposite order, the last page is the first, so the cursor is the user
 * right after that page.
 */
async function findLastPage(criteria: Criterion[], order: Order, limit: number): Promise<string | undefined> {
  const opposite = order === 'asc' ? 'desc' : 'asc';
  const page = await listUsers({ criteria, order: opposite, limit: limit + 1 });
  const cursors = page.cursors ?? page.users.map(({ id }) => id);
  return cursors[limit];
}
