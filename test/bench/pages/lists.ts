import assert from 'node:assert/strict';
import { progressBar } from '../../../infra/scripts/progress.ts';
import { putItems, split } from '../../../lib/dynamodb/batch.ts';
import { filterCriterion, sortCriterion } from '../../../lib/features/filters/criteria.ts';
import { filterFields, listListEntries } from '../../../lib/features/filters/entries.ts';
import { type Criterion, creationCriterion } from '../../../lib/users/criteria.ts';
import { type Order, queryUsers } from '../../../lib/users/directory.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { type Cost, measureCost, medianTime } from '../measure.ts';

/** Half of the users have each plan. */
export const choosePlan = (number: number) => ({ plan: number % 2 === 0 ? 'pro' : 'free' });

/** One page of a list that is filtered or sorted. `time` is in milliseconds. */
export type ListReading = { list: string; page: string; cost: Cost; time: number };

/** Reads the first and the last page of each list among all users. */
export async function measureLists(users: number, limit: number): Promise<ListReading[]> {
  await loadListEntries(users);
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

/** Puts the list entries of users, as their transactions would. The table has none before: a Scan would read them, too. */
async function loadListEntries(users: number): Promise<void> {
  const show = progressBar(`Loading list entries of ${users} users`, users);
  let loaded = 0;
  for (let startAfter: string | undefined; ; ) {
    const page = await queryUsers(startAfter, 1_000);
    const entries = page.users.flatMap((user) => listListEntries(user).map(({ key }) => key));
    await Promise.all(split(entries, Math.ceil(entries.length / 4)).map(putItems));
    loaded += page.users.length;
    show(loaded);
    startAfter = page.users.at(-1)?.id;
    if (!page.more) return;
  }
}

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

/** Returns the cursor before the last page: of the user who comes right after the first page of the opposite order. */
async function findLastPage(criteria: Criterion[], order: Order, limit: number): Promise<string | undefined> {
  const opposite = order === 'asc' ? 'desc' : 'asc';
  const page = await listUsers({ criteria, order: opposite, limit: limit + 1 });
  const cursors = page.cursors ?? page.users.map(({ id }) => id);
  return cursors[limit];
}
