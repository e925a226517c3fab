import type { ListReading } from './lists.ts';
import { LIMIT, type Reading, type Results, type Writing } from './readings.ts';
import type { Traffic } from './traffic.ts';

const number = (value: number, digits = 0) => value.toLocaleString('en', { maximumFractionDigits: digits });
const bytes = (count: number) => (count < 1e6 ? `${number(count / 1e3, 1)} kB` : `${number(count / 1e6, 1)} MB`);
const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: string[][]) =>
  [row(head), row(head.map((name) => (/^(page|by|what|list)$/.test(name) ? '---' : '---:'))), ...rows.map(row)].join(
    '\n',
  );

export const markdown = ({ readings, writings, worst, traffic }: Results) => `Reading one page of ${LIMIT} users:

${table(['users', 'page', 'by', 'RCU', 'round trips', 'requests', 'bytes', 'p50 ms'], readings.map(readingCells))}

By the page index, none of ${number(worst.pages)} pages spread over ${number(worst.users)} users takes more than ${number(worst.reads, 1)} RCU and ${worst.rounds} round
trips. Skip-scan does not return the total. Round trips are requests that wait for one another. Times are of the embedded database.

Writing, in capacity units per user:

${table(['what', 'reads', 'writes', 'writes to the GSI', 'in all'], writings.map(writingCells))}

With ${traffic.perSecond} creates and ${traffic.perSecond} deletes a second, when the index is furthest behind:

${table(['what', 'RCU', 'WCU', 'requests', 'round trips'], trafficRows(traffic))}
`;

export const listsMarkdown = (
  users: number,
  lists: ListReading[],
) => `Reading pages of ${LIMIT} of lists among ${number(users)} users. Shares: active 90 %, pro 50 %, team 10 %, suspended 10 %, each region 12.5 %, vip 1 %, beta 10 users.

${table(['list', 'page', 'users', 'left out', 'RCU', 'round trips', 'requests', 'bytes', 'p50 ms'], lists.map(listCells))}

A list reads ${LIMIT + 1} keys, then ${LIMIT} users by id, and the record of the [backfill](../../lib/features/backfill). The page about
[combinations](../../lib/features/filters/README.md#combinations) explains the others.
`;

const trafficRows = ({ page, indexer }: Traffic) => [
  ['the most expensive of 11 pages', number(page.reads, 1), '0', number(page.requests), number(page.rounds)],
  ['the indexer, a second', number(indexer.reads), number(indexer.writes), number(indexer.requests), ''],
];

const readingCells = ({ users, page, strategy, ...reading }: Reading) => [
  number(users),
  page,
  strategy.name,
  ...costCells(reading),
];

const listCells = ({ list, page, found, leftOut, ...reading }: ListReading) => [
  `\`${list}\``,
  page,
  found === undefined ? 'unknown' : number(found),
  number(leftOut),
  ...costCells(reading),
];

const costCells = ({ cost, time }: Pick<Reading, 'cost' | 'time'>) => [
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
