import { ASSUMED_SECONDS, prices } from '../../bill/prices.ts';
import { INDEXER_MEMORY_MB } from '../../construct/page-indexer.ts';
import { ACCESS_LOG_BYTES } from './log-bytes.ts';
import type { Maintenance, Measured, Measurements, Units } from './measurements.ts';

const calculatePrice = ({ reads, writes }: Units): number => reads * prices.read + writes * prices.write;

/** Assumes one invocation of `on-change` per change. In busy streams, many changes share one. */
function calculateRequestPrice({ api, request, onChange, changes, logBytes }: Measured) {
  const invocations = 1 + changes;
  const database = calculatePrice(request) + calculatePrice(onChange);
  const requests = invocations * prices.invocation + (api === 'REST' ? prices.httpApi : 0);
  const compute = invocations * ASSUMED_SECONDS * prices.second;
  const lines = logBytes + (api === 'REST' ? ACCESS_LOG_BYTES : 0);
  const logs = lines * prices.logByte;
  return { database, requests, compute, logs, total: database + requests + compute + logs };
}

const units = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });
const count = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 0 });
const dollars = (value: number) => value.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;

const MILLION = 1e6;

export const markdown = (measurements: Measurements) => `\
Measured with ${measurements.users.toLocaleString('en')} users. USD per million requests:

${operationsTable(measurements.operations)}

${row('background', 'RRU', 'WRU', 'seconds of Lambda', 'DynamoDB', 'Lambda', 'logs', 'total')}
${row('---', ...Array.from({ length: 7 }, () => '---:'))}
${formatBackground(measurements).join('\n')}
`;

export const operationsTable = (operations: Measured[]) => `\
${row('operation', 'round trips', 'RRU', 'WRU', 'of which on-change', 'DynamoDB', 'requests', `${ASSUMED_SECONDS * 1000} ms at 1 GB`, 'logs', 'total')}
${row('---', ...Array.from({ length: 9 }, () => '---:'))}
${operations.map(formatOperation).join('\n')}`;

function formatOperation(measured: Measured): string {
  const { name, request, roundTrips, onChange } = measured;
  const { database, requests, compute, logs, total } = calculateRequestPrice(measured);
  return row(
    name,
    String(roundTrips),
    units(request.reads + onChange.reads),
    units(request.writes + onChange.writes),
    onChange.writes > 0 ? units(onChange.writes) : '',
    ...[database, requests, compute, logs, total].map((cost) => dollars(cost * MILLION)),
  );
}

const HOURS_PER_MONTH = 730;
const MINUTES_PER_MONTH = 60 * HOURS_PER_MONTH;
const SECONDS_PER_MONTH = 60 * MINUTES_PER_MONTH;
/** A stream ends after 90 seconds, and the client reconnects. */
const STREAMS_PER_MONTH = 40 * HOURS_PER_MONTH;

type Background = Units & { seconds: number; gigabytes: number; invocations: number; logBytes: number };

const ofIndexer = (
  { reads, writes, seconds, logBytes }: Maintenance,
  runs: number,
  invocations: number,
): Background => ({
  reads: reads * runs,
  writes: writes * runs,
  seconds: seconds * runs,
  gigabytes: INDEXER_MEMORY_MB / 1024,
  invocations,
  logBytes: logBytes * runs,
});

/** Cost of a subscription that is open all month: it occupies a Lambda environment, and logs a line per connection. */
const ofSubscription = ({ open, poll }: Measurements['subscription'], logBytes: number): Background => ({
  reads: poll.reads * SECONDS_PER_MONTH + open.reads * STREAMS_PER_MONTH,
  writes: poll.writes * SECONDS_PER_MONTH + open.writes * STREAMS_PER_MONTH,
  seconds: SECONDS_PER_MONTH,
  gigabytes: 1,
  invocations: STREAMS_PER_MONTH,
  logBytes: logBytes * STREAMS_PER_MONTH,
});

function formatBackground({ users, operations, index, subscription }: Measurements): string[] {
  const { empty, idle, traffic, bulk } = index;
  const query = operations.find(({ api }) => api === 'GraphQL');
  const rows: [string, Background][] = [
    ['page index, a month of an empty table', ofIndexer(empty, MINUTES_PER_MONTH, MINUTES_PER_MONTH)],
    ['page index, a month without new users', ofIndexer(idle, MINUTES_PER_MONTH, MINUTES_PER_MONTH)],
    ...traffic.map((run): [string, Background] => [
      `page index, beyond it: a month of ${run.perSecond} new ${run.perSecond === 1 ? 'user' : 'users'} a second`,
      ofIndexer(run, MINUTES_PER_MONTH, 0),
    ]),
    ['page index, a million users at once', ofIndexer(bulk, MILLION / users, 0)],
    ['an open subscription, a month', ofSubscription(subscription, query?.logBytes ?? 0)],
  ];
  return rows.map(([name, { seconds, gigabytes, invocations, logBytes, ...used }]) => {
    const database = calculatePrice(used);
    const lambda = seconds * gigabytes * prices.second + invocations * prices.invocation;
    const logs = logBytes * prices.logByte;
    const costs = [database, lambda, logs, database + lambda + logs].map(dollars);
    return row(name, units(used.reads), units(used.writes), count(seconds), ...costs);
  });
}
