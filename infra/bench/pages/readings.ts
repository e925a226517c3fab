import assert from 'node:assert/strict';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { environment } from '../../../lib/environment.ts';
import { indexPages } from '../../../lib/features/page-index/indexer.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import { queryUsers, skipUsers } from '../../../lib/users/directory.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { parseUser, type User } from '../../../lib/users/user.ts';
import { createUser } from '../../../test/setup/create-user.ts';
import { loadUsers } from '../load.ts';
import { type Cost, measureCost, medianTime } from '../measure.ts';
import { measureTraffic, type Traffic } from './traffic.ts';

/** A way to read page N. `varies`: whether the cost depends on N. */
type Strategy = {
  name: string;
  varies: boolean;
  page(page: number, limit: number): Promise<User[]>;
};

const strategies: Strategy[] = [
  {
    name: 'page index',
    varies: true,
    page: async (page, limit) => (await listUsers({ page, limit })).users,
  },
  {
    name: 'skip-scan',
    varies: true,
    async page(page, limit) {
      const startAfter = await skipUsers(undefined, (page - 1) * limit);
      return startAfter === null ? [] : (await queryUsers(startAfter, limit)).users;
    },
  },
  {
    name: 'Scan and slice',
    varies: false,
    async page(page, limit) {
      const users: User[] = [];
      for await (const { Items = [] } of paginateScan({ client: table }, { TableName }))
        users.push(...Items.filter(({ sk }) => sk === 'USER').map(parseUser));
      return users.sort((a, b) => (a.id < b.id ? -1 : 1)).slice((page - 1) * limit, page * limit);
    },
  },
];

export const LIMIT = 20;
const PER_SECOND = 100;

/** `time` is in milliseconds. */
export type Reading = { users: number; strategy: Strategy; page: string; cost: Cost; time: number };
export type Writing = { what: string; cost: Cost; per: number };
export type Worst = { users: number; pages: number; reads: number; rounds: number };
export type Results = {
  readings: Reading[];
  writings: Writing[];
  worst: Worst;
  traffic: Traffic;
};

export async function measureAll(sizes: number[]): Promise<Results> {
  const [readings, writings]: [Reading[], Writing[]] = [[], []];
  environment.pause = async () => {};
  const firstAt = Date.now() - 24 * 3_600_000;
  let have = 0;
  for (const users of sizes) {
    await loadUsers(have, users, firstAt);
    const cost = await measureCost(() => indexPages());
    writings.push({ what: `index ${users - have} users`, cost, per: users - have });
    readings.push(...(await readPages(users)));
    have = users;
  }
  // Indexes like the last scheduled run of `index-pages`: users of the last 20 s are not indexed yet.
  const { now } = environment;
  environment.now = () => Date.now() - 20_000;
  await indexPages().finally(() => Object.assign(environment, { now }));
  const worst = await findWorstPage(have, 200);
  writings.push(...(await write()));
  return { readings, writings, worst, traffic: await measureTraffic(have, PER_SECOND, LIMIT) };
}

async function readPages(users: number): Promise<Reading[]> {
  const last = Math.ceil(users / LIMIT);
  const pages = Object.entries({ first: 1, middle: Math.ceil(last / 2), last });
  const expected = new Map<number, string[]>();
  const readings: Reading[] = [];
  for (const strategy of strategies)
    for (const [name, number] of strategy.varies ? pages : pages.slice(-1)) {
      process.stderr.write(`${strategy.name}, ${users} users, ${name} page\n`);
      const { cost, time, ids } = await read(strategy, number);
      assert.deepEqual(ids, expected.get(number) ?? ids);
      assert.equal(ids.length, LIMIT);
      expected.set(number, ids);
      readings.push({ users, strategy, page: strategy.varies ? name : 'any', cost, time });
    }
  return readings;
}

/** Measures the time of short reads separately, because counting adds pauses. */
async function read({ page }: Strategy, number: number) {
  let ids: string[] = [];
  const start = performance.now();
  const cost = await measureCost(async () => (ids = (await page(number, LIMIT)).map(({ id }) => id)));
  const taken = performance.now() - start;
  return { cost, ids, time: taken > 1_000 ? taken : await medianTime(() => page(number, LIMIT), 25) };
}

async function findWorstPage(users: number, pages: number): Promise<Worst> {
  const worst = { users, pages, reads: 0, rounds: 0 };
  for (let at = 1; at <= pages; at++) {
    const page = Math.ceil((at * users) / LIMIT / pages);
    const { reads, rounds } = await measureCost(() => listUsers({ page, limit: LIMIT }));
    worst.reads = Math.max(worst.reads, reads);
    worst.rounds = Math.max(worst.rounds, rounds);
  }
  return worst;
}

async function write(): Promise<Writing[]> {
  const created: string[] = [];
  const create = await measureCost(async () => created.push((await createUser(newUser)).id));
  const [id = ''] = created;
  const deleteNew = await measureCost(() => deleteUser({ id }, 'test'));
  const oldest = (await queryUsers(undefined, 1)).users[0]?.id ?? '';
  const deleteOld = await measureCost(() => deleteUser({ id: oldest }, 'test'));
  return [
    { what: 'create', cost: create, per: 1 },
    { what: 'delete a user who is not indexed yet', cost: deleteNew, per: 1 },
    { what: 'delete', cost: deleteOld, per: 1 },
  ];
}

const newUser = { name: 'Grace Hopper', email: 'grace@example.org' };
