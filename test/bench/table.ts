import { LIMIT, type Reading, type Results, type Writing } from './run.ts';
import type { Traffic } from './traffic.ts';

const number = (value: number, digits = 0) => value.toLocaleString('en', { maximumFractionDigits: digits });
const bytes = (count: number) => (count < 1e6 ? `${number(count / 1e3, 1)} kB` : `${number(count / 1e6, 1)} MB`);
const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: string[][]) =>
  [row(head), row(head.map((name) => (/^(page|by|what)$/.test(name) ? '---' : '---:'))), ...rows.map(row)].join('\n');

/** The results for people. */
export const markdown = ({ readings, writings, worst, traffic }: Results) => `Reading one page of ${LIMIT} users:

${table(['users', 'page', 'by', 'RCU', 'round trips', 'requests', 'bytes', 'p50 ms'], readings.map(readingCells))}

Of ${number(worst.pages)} pages spread over ${number(worst.users)} users, none takes the page index more than ${number(worst.reads, 1)} RCU and ${worst.rounds} round
trips. The page index and the Scan tell the total too; skip-scan would have to read everything for it, whatever the page.
Round trips are requests that wait for one another. The times are those of the embedded database on one machine;
the rest is as DynamoDB bills it, and repeats itself.

Writing, in capacity units per user:

${table(['what', 'reads', 'writes', 'writes to the GSI', 'in all'], writings.map(writingCells))}

With ${traffic.perSecond} creates and ${traffic.perSecond} deletes a second, spread over all users, at the moment when the index is furthest behind:

${table(['what', 'RCU', 'WCU', 'requests', 'round trips'], trafficRows(traffic))}
`;

const trafficRows = ({ page, indexer }: Traffic) => [
  ['the most expensive of 11 pages', number(page.reads, 1), '0', number(page.requests), number(page.rounds)],
  ['the indexer, a second', number(indexer.reads), number(indexer.writes), number(indexer.requests), ''],
];

const readingCells = ({ users, page, strategy, cost, time }: Reading) => [
  number(users),
  page,
  strategy.name,
  number(cost.reads, 1),
  number(cost.rounds),
  number(cost.requests),
  bytes(cost.bytes),
  number(time, time < 10 ? 1 : 0),
];

const writingCells = ({ what, cost: { reads, writes, indexWrites }, per }: Writing) => [
  what,
  ...[reads, writes, indexWrites, reads + writes + indexWrites].map((units) => number(units / per, 3)),
];
