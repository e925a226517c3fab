import { beforeAll, expect, test } from 'vitest';
import { loadUsers } from '../../../../infra/bench/load.ts';
import { type Cost, measureCost } from '../../../../infra/bench/measure.ts';
import { environment } from '../../../../lib/environment.ts';
import { indexPages } from '../../../../lib/features/page-index/indexer.ts';
import { deleteUser } from '../../../../lib/users/delete.ts';
import { listUsers } from '../../../../lib/users/list.ts';
import { createUser } from '../../../setup/create-user.ts';

const USERS = 1_700;
const { pause } = environment;
let indexing: Cost;

beforeAll(async () => {
  await loadUsers(0, USERS, Date.now() - 3_600_000);
  environment.pause = async () => {};
  indexing = await measureCost(() => indexPages()).finally(() => Object.assign(environment, { pause }));
});

test.each([
  ['oldest', 4, 'asc'],
  ['newest', 5, 'desc'],
] as const)(
  '%s first, any page costs at most 4 RCU and %i round trips, with the total',
  async (_, maxRounds, order) => {
    for (const page of [1, 2, 40, 79, 80, 81, 85, 86, Number.MAX_SAFE_INTEGER]) {
      const { reads, rounds } = await measureCost(() => listUsers({ page, limit: 20, order }));
      expect.soft(reads, `page ${page}`).toBeLessThanOrEqual(4);
      expect.soft(rounds, `page ${page}`).toBeLessThanOrEqual(maxRounds);
    }
  },
);

test('a link to the next page is followed without the index', async () => {
  const { next: after } = await listUsers({ limit: 20 });
  const { requests } = await measureCost(() => listUsers({ after, limit: 20 }));
  expect(requests).toBe(1);
});

test('indexing takes at most a tenth of a capacity unit per user', () => {
  expect((indexing.reads + indexing.writes) / USERS).toBeLessThanOrEqual(0.1);
});

test('creating a user with one word takes 12 WCU and one of the GSI, deleting takes 18 and one', async () => {
  let id = '';
  const created = await measureCost(async () => ({ id } = await createUser({ name: 'Ada', email: 'ada@example.org' })));
  const deleted = await measureCost(() => deleteUser({ id }, 'test'));
  expect(created).toMatchObject({ reads: 0, writes: 12, indexWrites: 1 });
  expect(deleted).toMatchObject({ reads: 1, writes: 18, indexWrites: 1 });
});
