import { table } from '../../../lib/dynamodb/client.ts';
import { filterCriterion, rangeCriterion, sortCriterion } from '../../../lib/features/filters/criteria.ts';
import { filterFields, rangeFields } from '../../../lib/features/filters/entries.ts';
import { type Criterion, creationCriterion } from '../../../lib/users/criteria.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { countMatching } from '../../../lib/users/matching.ts';
import { loadUsers } from '../load.ts';
import { type Cost, measureCost, medianTime } from '../measure.ts';

/**
 * Shares: active 90 %, pro 50 %, team 10 %, suspended 10 %, each of eight regions 12.5 %, vip 1 %. Only ten users are
 * beta.
 */
const createFields = (users: number) => (number: number) => ({
  status: number % 10 === 3 ? 'suspended' : 'active',
  plan: number % 10 === 5 ? 'team' : number % 2 === 0 ? 'pro' : 'free',
  region: `r${Math.floor(number / 10) % 8}`,
  ...chooseCohort(number, users),
  score: (number * 7919) % 1000,
});

function chooseCohort(number: number, users: number): { cohort?: string } {
  if (number % Math.floor(users / 10) === 7) return { cohort: 'beta' };
  return number % 100 === 42 ? { cohort: 'vip' } : {};
}

/** `time` is in milliseconds. `leftOut`: users that were read and not returned. */
export type ListReading = {
  list: string;
  page: string;
  found: number | undefined;
  leftOut: number;
  cost: Cost;
  time: number;
};

export async function measureLists(users: number, limit: number): Promise<ListReading[]> {
  const firstAt = Date.now() - DAY_MS;
  await loadUsers(0, users, firstAt, { createFields: createFields(users) });
  const readings: ListReading[] = [];
  for (const [list, criteria] of createLists(firstAt + Math.floor((2 * users) / 3))) {
    process.stderr.write(`${list}\n`);
    let after: string | undefined;
    for (const page of ['1', '2']) {
      const query = { criteria: criteria(), limit, after };
      const found = await listUsers(query);
      const { users, ...measured } = await measure(() => listUsers({ ...query, criteria: criteria() }));
      readings.push({
        list,
        page,
        found: found.users.length,
        leftOut: Math.max(0, users - found.users.length),
        ...measured,
      });
      after = found.next;
      if (after === undefined) break;
    }
    // The page index, which counts other lists, is not built.
    if (criteria().every((each) => !each.list && !each.readIds)) continue;
    const count = () => countMatching(criteria(), () => {});
    const { users, ...measured } = await measure(count);
    readings.push({ list, page: 'count', found: await count(), leftOut: users, ...measured });
  }
  return readings;
}

const DAY_MS = 24 * 3_600_000;

type List = [name: string, criteria: () => Criterion[]];

function createLists(createdAfter: number): List[] {
  const where = (name: string, ...values: string[]) => {
    const field = filterFields.find((each) => each.name === name);
    if (!field) throw new Error(`${name} has no filter`);
    return filterCriterion(field, values);
  };
  const score = rangeFields.find(({ name }) => name === 'score');
  if (!score) throw new Error('score has no range');
  const lastThird = creationCriterion({}, { after: createdAfter });
  const [active, team] = [where('status', 'active'), where('plan', 'team')];
  return [
    ['plan=pro', () => [where('plan', 'pro')]],
    ['plan=pro&status=active', () => [where('plan', 'pro'), active]],
    ['plan=team&status=active', () => [team, active]],
    ['plan=team&region=r3', () => [team, where('region', 'r3')]],
    ['plan=pro&plan=team&region=r3', () => [where('plan', 'pro', 'team'), where('region', 'r3')]],
    ['cohort=vip&status=active', () => [where('cohort', 'vip'), active]],
    ['cohort=beta&status=active', () => [where('cohort', 'beta'), active]],
    ['plan=team&status=suspended (nobody)', () => [team, where('status', 'suspended')]],
    ['plan=pro&status=active&createdAfter=…', () => [where('plan', 'pro'), active, lastThird]],
    ['createdAfter=…', () => [lastThird]],
    ['sort=name', () => [sortCriterion('name')]],
    ['sort=name&status=active', () => [sortCriterion('name'), active]],
    ['sort=name&plan=team', () => [sortCriterion('name'), team]],
    ['sort=name&cohort=vip', () => [sortCriterion('name'), where('cohort', 'vip')]],
    ['sort=name&cohort=beta', () => [sortCriterion('name'), where('cohort', 'beta')]],
    ['score.gte=10&score.lt=20', () => [rangeCriterion(score, { gte: 10, lt: 20 })]],
    ['score.gte=10&score.lt=20&plan=team', () => [rangeCriterion(score, { gte: 10, lt: 20 }), team]],
    ['sort=name&createdAfter=…', () => [sortCriterion('name'), lastThird]],
  ];
}

async function measure(run: () => Promise<unknown>): Promise<{ users: number; cost: Cost; time: number }> {
  let users = 0;
  table.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      const { Responses = {} } = result.output as { Responses?: Record<string, unknown[]> };
      users += Object.values(Responses).flat().length;
      return result;
    },
    { step: 'initialize', name: 'users' },
  );
  const cost = await measureCost(run);
  table.middlewareStack.remove('users');
  return { users, cost, time: await medianTime(run, 5) };
}
