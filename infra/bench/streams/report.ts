import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { replaceMeasured } from '../costs/costs-page.ts';
import type { OpenStreams, Phase } from './measure.ts';

export const STREAMS_FILE = 'infra/bench/streams.md';

export type Measured = Pick<OpenStreams, 'processes' | 'streams' | 'opening'> & { phases: Phase[] };

const number = (value: number, digits = 0) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
const megabytes = (bytes: number) => number(bytes / 2 ** 20);
const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: string[][]) =>
  [row(head), row(head.map(() => '---:')), ...rows.map(row)].join('\n');

const findQuantile = (sorted: number[], part: number): number | undefined =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

const formatDelay = (delays: number[], part: number): string => {
  const ms = findQuantile(delays, part);
  return ms === undefined ? '' : number(ms);
};

function formatPhase({ processes, streams }: Measured, phase: Phase): string[] {
  const { rate, seconds, delays, memory, emptyMemory, cpu, traffic } = phase;
  const used = memory.at(-1) ?? Number.NaN;
  const perSecond = (count: number) => count / seconds / processes;
  return [
    number(processes),
    number(streams),
    number(rate),
    megabytes(used / processes),
    number((used - emptyMemory) / streams / 1024),
    number((100 * cpu) / seconds / processes, 1),
    formatDelay(delays, 0.5),
    formatDelay(delays, 0.99),
    number(perSecond(traffic.order.requests + traffic.contents.requests), 1),
    number(perSecond(traffic.order.units + traffic.contents.units), 1),
  ];
}

export const formatMeasured = (all: Measured[]): string => `\
${describeMachine()}

${table(
  [
    'processes',
    'streams',
    'changes a second',
    'MB a process',
    'kB a stream',
    'CPU a process, % of a core',
    'delay p50, ms',
    'p99, ms',
    'requests a second and process',
    'read units a second and process',
  ],
  all.flatMap((measured) => measured.phases.map((phase) => formatPhase(measured, phase))),
)}

${table(
  ['to open', 'of processes', 'seconds', 'CPU ms a stream', 'read units a stream', 'write units a stream'],
  all.map(({ processes, streams, opening }) => [
    number(streams),
    number(processes),
    number(opening.seconds, 1),
    number(opening.cpu * 1000, 1),
    number(opening.reads, 1),
    number(opening.writes, 1),
  ]),
)}
`;

function describeMachine(): string {
  const [{ model = 'unknown' } = {}, ...others] = cpus();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node.js ${process.version}, ${process.platform} ${process.arch}, ${others.length + 1} × ${model} with a load of ${number(loadavg()[1] ?? 0)}.`;
}

export const writeMeasured = (text: string): void =>
  writeFileSync(STREAMS_FILE, replaceMeasured(readFileSync(STREAMS_FILE, 'utf8'), text));
