import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { afterFreeTiers, calculateBill, mixes } from '../../../infra/bill/bill.ts';
import { readCosts } from '../../../infra/bill/costs.ts';
import { formatBills, replaceBills } from '../../../infra/bill/page.ts';
import { prices } from '../../../infra/bill/prices.ts';

const costs = readCosts();
const SECONDS = 730 * 3_600;

const calculate = (load: object) =>
  Object.fromEntries(calculateBill({ users: 0, rps: 0, mix: { get: 1 }, ...load }, costs));

test('infra/costs.md shows the bills that its tables result in', () => {
  const page = readFileSync('infra/costs.md', 'utf8');
  expect(replaceBills(page, formatBills(costs)), 'run npm run bill -- --write').toBe(page);
});

test.each(Object.entries(mixes))('the mix %s adds up to 1 and only contains measured operations', (_, mix) => {
  expect(Object.values(mix).reduce((sum, part) => sum + part, 0)).toBeCloseTo(1, 10);
  for (const name of Object.keys(mix)) expect([...costs.operations.keys()]).toContain(name);
});

test('a bill is the measured cost of the requests: 100 gets a second', () => {
  const gets = 100 * SECONDS;
  const bill = calculate({ rps: 100 });
  // One read unit: $0.13 per million. The page rounds to cents.
  expect(bill['DynamoDB, for requests']).toBeCloseTo(gets * 0.13e-6, 5);
  expect(bill['API Gateway and invocations']).toBeCloseTo(gets * (prices.httpApi + prices.invocation), 5);
  expect(bill['Logs of requests']).toBeCloseTo(gets * 0.26e-6, 5);
});

test('an idle stack costs less than two dollars after free tiers: alarms, metrics and the page index', () => {
  const bill = calculate({});
  expect(bill).toMatchObject({ Alarms: 2.6, Metrics: 0.3, Heartbeats: 0.02 });
  const others = Object.entries(bill).filter(([item]) => !/^(Alarms|Metrics|Page index|Heartbeats)/.test(item));
  expect(others.filter(([, usd]) => usd !== 0)).toEqual([]);
  const total = Object.values(bill).reduce((sum, usd) => sum + usd, 0);
  expect(total).toBeCloseTo(3.04, 2);
  // Ten alarm metrics are free, 16 more cost $0.10 each.
  const afterwards = afterFreeTiers(Object.entries(bill));
  expect(afterwards).toBeCloseTo((bill['Page index'] ?? 0) + 0.02 + 1.6, 10);
  expect(afterwards).toBeLessThan(2);
});

test('the alarm rejections queries one metric while there are requests', () => {
  expect(calculate({ rps: 1 })).toMatchObject({ Alarms: 2.7 });
});

test('REST requests beyond 300 million a month are cheaper, GraphQL requests are not', () => {
  const cost = (millions: number, operation: string) =>
    calculate({ rps: (millions * 1e6) / SECONDS, mix: { [operation]: 1 } })['API Gateway and invocations'];
  expect(cost(300, 'get')).toBeCloseTo(300 * 1.2, 5);
  expect(cost(400, 'get')).toBeCloseTo(400 * 1.2 - 100 * 0.1, 5);
  expect(cost(400, '{ user(id: …) { name } }')).toBeCloseTo(400 * 0.2, 5);
  expect(cost(400, 'createPost')).toBeCloseTo(400 * 0.4, 5);
});

test('the bill contains cold starts, data transfer and the growth of posts', () => {
  const millions = SECONDS / 1e6;
  const bill = calculate({ rps: 1, mix: { get: 0.5, 'list, /v1/users: first page of 100': 0.25, createPost: 0.25 } });
  // 1 % cold starts of 0.2 s at 1 GB. createPost has two invocations: 1.25 per request.
  expect(bill['Cold starts']).toBeCloseTo(millions * 1e6 * 1.25 * 0.01 * 0.2 * prices.second, 2);
  expect(bill['Data transfer out']).toBeCloseTo((millions * 1e6 * (700 + 0.25 * 11_000) * 0.09) / 1e9, 10);
  expect(bill['Storage of the posts of a month']).toBeCloseTo(millions * 1e6 * 0.25 * 0.5e-6 * 0.45, 10);
});

test('events are billed per change, and only if they are on', () => {
  const cost = (mix: object, rps: number) => calculate({ rps, mix, events: true }).Events ?? Number.NaN;
  const fixed = cost({ get: 1 }, 100);
  expect(fixed).toBeCloseTo(0.32, 10);
  const perMillion = 1.47;
  for (const [name, changes] of [
    ['create', 1],
    ['createUsers, of 10', 10],
    ['deleteUser, with 10 posts', 11],
  ] as const)
    expect(cost({ [name]: 1 }, 1) - fixed).toBeCloseTo(((SECONDS * changes) / 1e6) * perMillion, 5);
  expect(calculate({ rps: 100 })).not.toHaveProperty('Events');
});

test('the cost of the page index rises with new users, as measured at one and twenty a second', () => {
  const costAt = (createsPerSecond: number) =>
    calculate({ users: 1, rps: createsPerSecond, mix: { create: 1 } })['Page index'] ?? 0;
  const measured = (name: string) => {
    const {
      database = 0,
      lambda = 0,
      logs = 0,
    } = [...costs.background].find(([row]) => row.startsWith(name))?.[1] ?? {};
    return database + lambda + logs;
  };
  const idle = measured('page index, a month without new users');
  expect(costAt(0)).toBeCloseTo(idle, 10);
  expect(calculate({})['Page index']).toBeCloseTo(measured('page index, a month of an empty table'), 10);
  expect(costAt(1)).toBeCloseTo(idle + measured('page index, beyond it: a month of 1 '), 10);
  expect(costAt(20)).toBeCloseTo(idle + measured('page index, beyond it: a month of 20 '), 10);
  expect(costAt(10)).toBeGreaterThan(costAt(1));
  expect(calculate({ users: 1, rps: 0.1, mix: { 'createUsers, of 10': 1 } })['Page index']).toBeCloseTo(costAt(1), 10);
});

const bill = (...args: string[]) =>
  spawnSync(process.execPath, ['infra/scripts/bill.ts', ...args], { encoding: 'utf8' });

test('npm run bill prints each item and the total', () => {
  const output = execFileSync(process.execPath, ['infra/scripts/bill.ts', '--users', '1000', '--rps', '1'], {
    encoding: 'utf8',
  });
  expect(output).toMatch(/1 requests a second, 1000 users, mix default/);
  const amounts = [...output.matchAll(/^(\S.*?) +([\d,.]+)$/gm)].map(([, item, usd = '']) => [
    item,
    Number(usd.replaceAll(',', '')),
  ]);
  expect(amounts.pop()?.[0]).toBe('After free tiers');
  const total = amounts.pop();
  expect(total?.[0]).toBe('Total');
  expect(amounts.reduce((sum, [, usd]) => sum + Number(usd), 0)).toBeCloseTo(Number(total?.[1]), 1);
});

test('a mix can be percentages by operation', () => {
  expect(bill('--mix', 'get=90; create=10').status).toBe(0);
});

const NUMBER = 'expected: a number from 0 to 1000000000000';

test.each([
  [['--rps', 'many'], `--rps is many; ${NUMBER}`],
  [['--rps', '1e999'], `--rps is 1e999; ${NUMBER}`],
  [['--users', '1e300'], `--users is 1e300; ${NUMBER}`],
  [['--streams=-1'], `--streams is -1; ${NUMBER}`],
  [['--rps', ' '], `--rps is  ; ${NUMBER}`],
  [['--mix', 'nope'], '--mix is nope; expected: default, reads, writes, or percentages that add up to 100'],
  [['--mix', 'get=90'], '--mix is get=90; expected: default, reads, writes, or percentages that add up to 100'],
  [['--mix', 'get=60; get=40'], '--mix sets get twice: add its percentages'],
])('%j is rejected in one sentence', (args, sentence) => {
  expect(bill(...args)).toMatchObject({ status: 1, stdout: '', stderr: `Not calculated: ${sentence}\n` });
});
