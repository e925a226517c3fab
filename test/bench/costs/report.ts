import { ASSUMED_SECONDS, prices } from '../../../infra/prices.ts';
import type { Measured, Measurements, Units } from './measurements.ts';
import { calculatePrice, calculateRequestPrice } from './prices.ts';

const units = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });
const dollars = (value: number) => value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;

const MILLION = 1e6;

/** The measured part of infra/costs.md. */
export const markdown = (measurements: Measurements) => `\
Measured with ${measurements.users.toLocaleString('en')} users. USD per million requests:

${operationsTable(measurements.operations)}

${row('background', 'RRU', 'WRU', 'DynamoDB', 'Lambda', 'total')}
${row('---', ...Array.from({ length: 5 }, () => '---:'))}
${formatBackground(measurements).join('\n')}
`;

export const operationsTable = (operations: Measured[]) => `\
${row('operation', 'round trips', 'RRU', 'WRU', 'of which on-change', 'DynamoDB', 'requests', `${ASSUMED_SECONDS * 1000} ms at 1 GB`, 'total')}
${row('---', ...Array.from({ length: 8 }, () => '---:'))}
${operations.map(formatOperation).join('\n')}`;

function formatOperation(measured: Measured): string {
  const { name, request, roundTrips, onChange } = measured;
  const { database, requests, compute, total } = calculateRequestPrice(measured);
  return row(
    name,
    String(roundTrips),
    units(request.reads + onChange.reads),
    units(request.writes + onChange.writes),
    onChange.writes > 0 ? units(onChange.writes) : '',
    ...[database, requests, compute, total].map((cost) => dollars(cost * MILLION)),
  );
}

const times = ({ reads, writes }: Units, count: number): Units => ({ reads: reads * count, writes: writes * count });
const plus = (one: Units, other: Units): Units => ({
  reads: one.reads + other.reads,
  writes: one.writes + other.writes,
});

const MINUTES_PER_MONTH = 60 * 730;
const STREAMS_PER_HOUR = 40;

/** Assumes that an idle index run takes as long as a request. An open stream occupies an environment all the time. */
function formatBackground({ users, index, subscription }: Measurements): string[] {
  const runs = MINUTES_PER_MONTH * (prices.invocation + ASSUMED_SECONDS * prices.second);
  const hour = 3600 * prices.second + STREAMS_PER_HOUR * prices.invocation;
  const opens = times(subscription.open, STREAMS_PER_HOUR);
  const rows: [string, Units, number][] = [
    ['page index, a month without new users', times(index.idle, MINUTES_PER_MONTH), runs],
    ['page index, beyond it: a month of one new user a second', times(index.minute, MINUTES_PER_MONTH), 0],
    ['page index, a million users at once', times(index.bulk, MILLION / users), 0],
    ['an open subscription, an hour', plus(times(subscription.poll, 3600), opens), hour],
  ];
  return rows.map(([name, used, lambda]) => {
    const database = calculatePrice(used);
    return row(name, units(used.reads), units(used.writes), ...[database, lambda, database + lambda].map(dollars));
  });
}
