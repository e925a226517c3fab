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
) => `Reading one page of ${LIMIT} of a list among ${number(users)} users, half of them with the plan *pro*:

${table(['list', 'page', 'RCU', 'round trips', 'requests', 'bytes', 'p50 ms'], lists.map(listCells))}

A list reads ${LIMIT + 1} keys, then ${LIMIT} users by id, and the record of the [backfill](../../lib/features/backfill). With a condition that is not in the
key, it loads 100 users at a time. Only the embedded database takes longer for the last pages.
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

const listCells = ({ list, page, ...reading }: ListReading) => [`\`${list}\``, page, ...costCells(reading)];

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

type Panel = { title: string; left: number; value: (reading: Reading) => number };

const [WIDTH, HEIGHT] = [920, 400];
const PLOT = { top: 84, bottom: 340, width: 270 };
const panels: Panel[] = [
  { title: 'Read capacity units', left: 60, value: ({ cost }) => cost.reads },
  { title: 'Round trips, one after the other', left: 500, value: ({ cost }) => cost.rounds },
];

const STYLE = `
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 } .panel { font-weight: 600 } .tick { fill: #59636e; font-size: 12px }
.paper { fill: #ffffff } .grid { stroke: #d1d9e0 } path { fill: none; stroke-width: 2.5 }
.line0 { stroke: #1a7f37 } .line1 { stroke: #9a6700 } .line2 { stroke: #cf222e; stroke-dasharray: 7 5 }
.mark0 { fill: #1a7f37 } .mark1 { fill: #9a6700 } .mark2 { fill: #cf222e }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .tick { fill: #9198a1 } .paper { fill: #0d1117 } .grid { stroke: #3d444d }
  .line0 { stroke: #3fb950 } .line1 { stroke: #d29922 } .line2 { stroke: #f85149 }
  .mark0 { fill: #3fb950 } .mark1 { fill: #d29922 } .mark2 { fill: #f85149 }
}`;

export function chart({ readings }: Results): string {
  const lastPages = readings.filter(({ page }) => page === 'last' || page === 'any');
  const title = `What ?page=N costs at the last page, ${LIMIT} users to a page`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}" rx="8"/>
<text class="title" x="24" y="34">${title}</text>
${panels.map((panel) => drawPanel(panel, lastPages)).join('\n')}
</svg>
`;
}

function drawPanel({ title, left, value }: Panel, readings: Reading[]): string {
  const x = scale(
    readings.map(({ users }) => users),
    left,
    left + PLOT.width,
  );
  const y = scale([1, ...readings.map(value)], PLOT.bottom, PLOT.top);
  const lines = Object.entries(Object.groupBy(readings, ({ strategy }) => strategy.name));
  return [
    `<text class="panel" x="${left}" y="${PLOT.top - 18}">${title}</text>`,
    ...y.ticks.flatMap((tick) => [
      `<line class="grid" x1="${left}" x2="${left + PLOT.width}" y1="${y.at(tick)}" y2="${y.at(tick)}"/>`,
      `<text class="tick" text-anchor="end" x="${left - 8}" y="${y.at(tick) + 4}">${short(tick)}</text>`,
    ]),
    ...x.ticks.map(
      (tick) =>
        `<text class="tick" text-anchor="middle" x="${x.at(tick)}" y="${PLOT.bottom + 20}">${short(tick)}</text>`,
    ),
    `<text class="tick" text-anchor="middle" x="${left + PLOT.width / 2}" y="${PLOT.bottom + 42}">users</text>`,
    ...lines.map(([name, points = []], at) =>
      drawLine(
        at,
        name,
        points.map((reading) => ({ x: x.at(reading.users), y: y.at(value(reading)), value: value(reading) })),
      ),
    ),
  ].join('\n');
}

function drawLine(at: number, name: string, points: { x: number; y: number; value: number }[]): string {
  const end = points.at(-1);
  return [
    `<path class="line${at}" d="M${points.map(({ x, y }) => `${x},${y}`).join('L')}"/>`,
    ...points.map(({ x, y }) => `<circle class="mark${at}" cx="${x}" cy="${y}" r="4"/>`),
    end &&
      `<text class="mark${at}" x="${end.x + 10}" y="${end.y + (at === 1 ? 14 : 0)}">${name}: ${short(end.value)}</text>`,
  ].join('\n');
}

function scale(values: number[], from: number, to: number) {
  const [least, most] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  return {
    ticks: Array.from({ length: most - least + 1 }, (_, at) => 10 ** (least + at)),
    at: (value: number) => Math.round(from + ((Math.log10(value) - least) / (most - least)) * (to - from)),
  };
}

const short = (value: number) =>
  new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(value);
