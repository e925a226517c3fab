import type { BackgroundCost, Costs } from './costs.ts';
import {
  ASSUMED_COLD_PART,
  ASSUMED_INIT_SECONDS,
  ASSUMED_LISTED_USER_BYTES,
  ASSUMED_RESPONSE_BYTES,
  ASSUMED_SECONDS,
  prices,
} from './prices.ts';

/** Share of each operation of infra/costs.md in all requests. The shares add up to 1. */
export type Mix = Record<string, number>;

export const mixes: Record<string, Mix> = {
  default: {
    get: 0.55,
    'list, /v1/users: first page of 100': 0.15,
    'list, ?email=': 0.05,
    'list, ?q=': 0.05,
    '{ user(id: …) { posts { title } } }': 0.12,
    'update, name': 0.05,
    createPost: 0.028,
    create: 0.001,
    delete: 0.001,
  },
  reads: { get: 0.8, 'list, /v1/users: first page of 100': 0.1, 'list, ?email=': 0.1 },
  writes: { get: 0.4, 'update, name': 0.3, createPost: 0.2, create: 0.05, delete: 0.05 },
};

/** `rps`: requests per second. `streams`: open subscriptions. `events`: whether the event bus is on. */
export type Load = { users: number; rps: number; mix: Mix; streams?: number; events?: boolean };

const SECONDS_PER_MONTH = 730 * 3_600;
const MILLION = 1e6;

/** Stored gigabytes per user, including its email claim, index entries and search entries. */
const USER_GIGABYTES = 2e-6;
/** Stored gigabytes per post, including its change log entries, which expire after two days. */
const POST_GIGABYTES = 0.5e-6;
const GIGABYTE_MONTH = 0.45;

/** Returns the USD per month of each item. Durations of invocations are assumed, see infra/costs.md. */
export function calculateBill(
  { users, rps, mix, streams = 0, events }: Load,
  costs: Costs,
): [item: string, usd: number][] {
  const requests = sumRequests(mix, costs);
  const millions = (rps * SECONDS_PER_MONTH) / MILLION;
  const index = findIndexCost(users, rps * countCreates(mix), costs);
  const stream = findCost(costs, 'an open subscription, a month');
  return [
    ['DynamoDB, for requests', requests.database * millions],
    ['API Gateway and invocations', requests.requests * millions - calculateSecondTier(millions, mix)],
    ['Lambda, for requests', requests.compute * millions],
    ['Cold starts', requests.compute * millions * ASSUMED_COLD_PART * (ASSUMED_INIT_SECONDS / ASSUMED_SECONDS)],
    ['Logs of requests', requests.logs * millions],
    ['Data transfer out', (countBytes(mix) * millions * MILLION * prices.transferGigabyte) / 1e9],
    ['Page index', index.database + index.lambda + index.logs],
    ['Heartbeats', findMonth(costs, 'heartbeats of on-change')],
    ['Storage and recovery of users', users * USER_GIGABYTES * GIGABYTE_MONTH],
    ['Storage of the posts of a month', (mix.createPost ?? 0) * millions * MILLION * POST_GIGABYTES * GIGABYTE_MONTH],
    ['Open subscriptions', streams * (stream.database + stream.lambda + stream.logs)],
    ['Alarms', findMonth(costs, 'alarms') + (rps > 0 ? findMonth(costs, 'query of the alarm `rejections`') : 0)],
    ['Metrics', findMonth(costs, 'custom metric: Index') + (rps > 0 ? findMonth(costs, 'custom metric: Rejected') : 0)],
    ...(events
      ? [['Events', calculateEvents(millions * countChanges(mix, costs), costs)] satisfies [string, number]]
      : []),
  ];
}

const FIRST_TIER_MILLIONS = 300;

const isRest = (operation: string) => /^(list|get|create|replace|update|delete)(,|$)/.test(operation);

/** Returns the discount in USD: HTTP API requests beyond 300 million per month are cheaper. */
function calculateSecondTier(millions: number, mix: Mix): number {
  const rest = Object.entries(mix).reduce((sum, [name, part]) => sum + (isRest(name) ? part : 0), 0) * millions;
  return Math.max(0, rest - FIRST_TIER_MILLIONS) * MILLION * (prices.httpApi - prices.httpApiBeyond);
}

/** Average response bytes per request. The name of an operation contains the number of listed users. */
const countBytes = (mix: Mix): number =>
  Object.entries(mix).reduce((sum, [name, part]) => {
    const users = name.startsWith('list, /') ? (name.includes('1000 users') ? 1_000 : 100) : 0;
    return sum + part * (ASSUMED_RESPONSE_BYTES + users * ASSUMED_LISTED_USER_BYTES);
  }, 0);

/** Maximum USD per month that AWS's permanent free tiers deduct. */
const FREE_TIERS: Record<string, number> = {
  Alarms: 10 * 0.1,
  Metrics: 10 * 0.3,
  'Lambda, for requests': 400_000 * prices.second,
  'Logs of requests': 5 * 2 ** 30 * prices.logByte,
  'Data transfer out': 100 * prices.transferGigabyte,
};

export const afterFreeTiers = (bill: [item: string, usd: number][]): number =>
  bill.reduce((sum, [item, usd]) => sum + Math.max(0, usd - (FREE_TIERS[item] ?? 0)), 0);

function sumRequests(mix: Mix, { operations }: Costs) {
  const sum = { database: 0, requests: 0, compute: 0, logs: 0 };
  for (const [name, part] of Object.entries(mix)) {
    const cost = operations.get(name);
    if (!cost)
      throw new Error(`No operation is named "${name}"; infra/costs.md has ${[...operations.keys()].join('; ')}`);
    sum.database += part * cost.database;
    sum.requests += part * cost.requests;
    sum.compute += part * cost.compute;
    sum.logs += part * cost.logs;
  }
  return sum;
}

/** Users created per request. A bulk mutation creates several. */
const countCreates = (mix: Mix): number =>
  Object.entries(mix).reduce((sum, [name, part]) => {
    const [matched, , many = 1] = /^create(Users, of (\d+)|User$|,|$)/.exec(name) ?? [];
    return matched === undefined ? sum : sum + part * Number(many);
  }, 0);

function findCost({ background }: Costs, start: string): BackgroundCost {
  const [, cost] = [...background].find(([name]) => name.startsWith(start)) ?? [];
  if (!cost) throw new Error(`infra/costs.md has no row "${start}"`);
  return cost;
}

function findMonth({ month }: Costs, start: string): number {
  const [, usd] = [...month].find(([item]) => item.startsWith(start)) ?? [];
  if (usd === undefined) throw new Error(`infra/costs.md has no item "${start}"`);
  return usd;
}

function findIndexCost(users: number, createsPerSecond: number, costs: Costs): BackgroundCost {
  const idle = findCost(
    costs,
    users === 0 && createsPerSecond === 0
      ? 'page index, a month of an empty table'
      : 'page index, a month without new users',
  );
  const none = { database: 0, lambda: 0, logs: 0 };
  const one = findCost(costs, 'page index, beyond it: a month of 1 new');
  const twenty = findCost(costs, 'page index, beyond it: a month of 20 new');
  const [low, high, part] =
    createsPerSecond <= 1 ? [none, one, createsPerSecond] : [one, twenty, (createsPerSecond - 1) / 19];
  const combine = (name: keyof BackgroundCost) => idle[name] + low[name] + (high[name] - low[name]) * part;
  return { database: combine('database'), lambda: combine('lambda'), logs: combine('logs') };
}

/** Changes per request. In infra/costs.md, each one adds an invocation to the compute cost of the operation. */
const countChanges = (mix: Mix, { operations }: Costs): number =>
  Object.entries(mix).reduce((sum, [name, part]) => {
    const invocations = (operations.get(name)?.compute ?? 0) / (ASSUMED_SECONDS * prices.second * MILLION);
    return sum + part * Math.max(0, Math.round(invocations) - 1);
  }, 0);

function calculateEvents(millions: number, costs: Costs): number {
  return millions * findMonth(costs, 'a million events') + findMonth(costs, 'publish-events:');
}
