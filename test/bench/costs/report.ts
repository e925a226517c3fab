import type { Measured, Measurements, Units } from './measurements.ts';
import { ASSUMED_SECONDS, costOfRequest, priceOf, prices } from './prices.ts';

const units = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });
const dollars = (value: number) => value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;

const MILLION = 1e6;

/** The measurements for people, in USD. */
export const markdown = (measurements: Measurements) => `\
Measured with ${measurements.users.toLocaleString('en')} users; what a million requests cost, in USD:

${operationsTable(measurements)}

${row('beside requests', 'RRU', 'WRU', 'DynamoDB', 'Lambda', 'in all')}
${row('---', ...Array.from({ length: 5 }, () => '---:'))}
${besides(measurements).join('\n')}
`;

export const operationsTable = ({ operations }: Measurements) => `\
${row('operation', 'RRU', 'WRU', 'of it on-change', 'DynamoDB', 'requests', `${ASSUMED_SECONDS * 1000} ms at 1 GB`, 'in all')}
${row('---', ...Array.from({ length: 7 }, () => '---:'))}
${operations.map(rowOf).join('\n')}`;

function rowOf(measured: Measured): string {
  const { name, own, after } = measured;
  const { database, requests, compute, total } = costOfRequest(measured);
  return row(
    name,
    units(own.reads + after.reads),
    units(own.writes + after.writes),
    after.writes > 0 ? units(after.writes) : '',
    ...[database, requests, compute, total].map((cost) => dollars(cost * MILLION)),
  );
}

const times = ({ reads, writes }: Units, count: number): Units => ({ reads: reads * count, writes: writes * count });
const plus = (one: Units, other: Units): Units => ({
  reads: one.reads + other.reads,
  writes: one.writes + other.writes,
});

const MINUTES_A_MONTH = 60 * 730;
const LEASES_AN_HOUR = 40;

/** An idle run of the index is taken to last as long as a request; a stream holds an environment all the time. */
function besides({ users, index, subscription }: Measurements): string[] {
  const runs = MINUTES_A_MONTH * (prices.invocation + ASSUMED_SECONDS * prices.second);
  const hour = 3600 * prices.second + LEASES_AN_HOUR * prices.invocation;
  const opens = times(subscription.open, LEASES_AN_HOUR);
  const rows: [string, Units, number][] = [
    ['page index, a month without new users', times(index.idle, MINUTES_A_MONTH), runs],
    ['page index, beyond it: a month of one new user a second', times(index.minute, MINUTES_A_MONTH), 0],
    ['page index, a million users at once', times(index.bulk, MILLION / users), 0],
    ['an open subscription, an hour', plus(times(subscription.poll, 3600), opens), hour],
  ];
  return rows.map(([name, used, lambda]) => {
    const database = priceOf(used);
    return row(name, units(used.reads), units(used.writes), ...[database, lambda, database + lambda].map(dollars));
  });
}
