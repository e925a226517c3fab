import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import type { Candidate } from './candidates.ts';
import type { ColdStart, Warm } from './invocations.ts';
import type { LocalService } from './local-services.ts';
import { type Breakdown, PARTS } from './profile.ts';
import { medianRatio, type Summary } from './statistics.ts';

export type Results = {
  rounds: number;
  coldStarts: ColdStart[];
  breakdowns: Breakdown[];
  /** The same functions in another version of Node.js, if one was given. */
  other: { version: string; coldStarts: ColdStart[] } | undefined;
  warm: Warm[];
  local: LocalService[];
};

/** The other functions with the same API are compared with these. */
const BASES = { REST: 'bare', GraphQL: 'yoga', events: 'bare' };

export const findBase = <Measured extends { candidate: Candidate }>(
  all: Measured[],
  api: Candidate['api'],
): Measured => {
  const base = all.find(({ candidate }) => candidate.name === BASES[api]);
  if (!base) throw new Error(`Not measured: ${BASES[api]}`);
  return base;
};

const number = (value: number, digits = 1) => value.toFixed(digits);
const range = ({ median, lower, upper }: Summary, digits = 1) =>
  `${number(median, digits)} (${number(lower, digits)}–${number(upper, digits)})`;
const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: string[][]) =>
  [row(head), row(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');

const label = ({ name, kind }: Candidate) => (kind === 'peer' ? name : `**${name}**${kind.slice('service'.length)}`);

/** Puts functions of the same API together, the fastest first. */
const sort = <Measured extends { candidate: Candidate }>(all: Measured[], read: (measured: Measured) => number) =>
  ['REST', 'GraphQL', 'events'].flatMap((api) =>
    all.filter(({ candidate }) => candidate.api === api).toSorted((a, b) => read(a) - read(b)),
  );

function formatColdStarts(all: ColdStart[]): string {
  const head = [
    'function',
    'files',
    'kB',
    'modules',
    'CPU ms',
    'of base',
    'ms',
    'of base',
    'INIT ms',
    'first call ms',
    'second call ms',
  ];
  const rows = sort(all, ({ cpu }) => cpu.median).map(({ candidate, loaded, total, cpu, init, first, second }) => {
    const base = findBase(all, candidate.api);
    return [
      label(candidate),
      number(loaded.files, 0),
      number(loaded.bytes / 1000, 0),
      number(loaded.modules, 0),
      range(cpu),
      number(medianRatio(cpu, base.cpu), 2),
      range(total),
      number(medianRatio(total, base.total), 2),
      number(init.median),
      number(first.median),
      number(second.median),
    ];
  });
  return table(head, rows);
}

const formatBreakdowns = (all: Breakdown[]): string =>
  table(
    ['ms of CPU time', ...all.map(({ candidate }) => label(candidate))],
    [...PARTS.map((part) => [part, ...all.map(({ parts }) => number(parts[part].median))])],
  );

/** Each function in one version of Node.js, compared with the other. */
function formatOther({ version, coldStarts }: NonNullable<Results['other']>, all: ColdStart[]): string {
  const rows = coldStarts.map(({ candidate, loaded, cpu, total }) => {
    const same = all.find(({ candidate: { file, event } }) => file === candidate.file && event === candidate.event);
    if (!same) throw new Error(`Not measured: ${candidate.name}`);
    return [
      label(candidate),
      number(loaded.modules, 0),
      range(cpu),
      number(medianRatio(cpu, same.cpu), 2),
      range(total),
      number(medianRatio(total, same.total), 2),
    ];
  });
  return `### In Node.js ${version}

Rounds are not interleaved with those of ${process.version}.

${table(['function', 'modules', 'CPU ms', `of ${process.version}`, 'ms', `of ${process.version}`], rows)}
`;
}

/** Compares each function that has own fields with the same one without. */
function formatOwnFields(all: ColdStart[]): string {
  const rows = all.flatMap(({ candidate: { name, kind }, cpu, total }) => {
    const base = all.find(({ candidate }) => candidate.name === name && candidate.kind === 'service');
    if (kind !== 'service, with ten own fields' || !base) return [];
    return [[name, number(medianRatio(cpu, base.cpu), 3), number(medianRatio(total, base.total), 3)]];
  });
  return table(['function', 'CPU time with ten own fields, of that without', 'time'], rows);
}

function formatWarm(all: Warm[]): string {
  const head = ['function', 'CPU ms', 'of base', 'ms', 'of base', 'p99 ms', 'calls per second'];
  const rows = sort(all, ({ cpu }) => cpu.median).map(({ candidate, handler, cpu, perSecond }) => {
    const base = findBase(all, candidate.api);
    return [
      label(candidate),
      range(cpu, 2),
      number(medianRatio(cpu, base.cpu), 2),
      range(handler, 2),
      number(medianRatio(handler, base.handler), 2),
      number(handler.p99),
      number(perSecond, 0),
    ];
  });
  return table(head, rows);
}

const formatLocal = (all: LocalService[]): string =>
  table(
    ['request', 'server', 'ms', 'p99 ms', 'per second'],
    all
      .toSorted((a, b) => a.request.localeCompare(b.request))
      .map(({ name, request, times, perSecond }) => [
        request,
        name,
        range(times, 2),
        number(times.p99),
        number(perSecond, 0),
      ]),
  );

const describeMachine = (rounds: number): string => {
  const [{ model = 'unknown' } = {}, ...others] = cpus();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node.js ${process.version}, ${process.platform} ${process.arch}, ${others.length + 1} × ${model} with a load of ${number(loadavg()[2] ?? 0, 0)}, ${rounds} rounds.`;
};

export const formatReport = ({ rounds, coldStarts, breakdowns, other, warm, local }: Results): string => `# Speed

\`npm run bench\` writes this page. Each function runs in new processes with the flags of Lambda's runtime. Stubs of the
Runtime API and of DynamoDB answer at once: what is left is the time of the function. [Peers](peers) are built as their documentation shows. They read a
user and return it as JSON; the functions of this service also validate, negotiate, handle conditional requests, limit time, meter and log. Rounds
are interleaved. Values are medians with quartiles, and "of base" is the median of the ratios within a round. The base of REST is \`bare\` (the AWS SDK
and nothing else), that of GraphQL \`yoga\`.

${describeMachine(rounds)}

## Cold starts

From the start of the process to the first response. CPU time of all threads depends less on what else the machine does. \`floor\` signs requests by
hand, without an SDK. Files and kB are those of the function that are loaded until the first response, modules those of Node.js itself.

![CPU time of cold starts](speed-cold.svg)

${formatColdStarts(coldStarts)}

Functions of this service send a request to the database during INIT, before which Lambda does not call them: their first call is the faster for it.

### With own fields

${formatOwnFields(coldStarts)}

### What they are made of

Medians of profiles, in ms until the first response; profiling itself makes all of it slower. \`floor\`, which is Node.js, sockets and node:crypto, is what any function takes that sends one
signed request. "Node.js in it" is what the function makes Node.js load and do: sockets, TLS, hashes, ES modules.

${formatBreakdowns(breakdowns)}

${other ? formatOther(other, coldStarts) : ''}
## Warm calls

In the handler, with the answer of the database.

![CPU time of warm calls](speed-warm.svg)

${formatWarm(warm)}

## On this machine

\`npm start\` and json-server, both with their data in a file, one request after the other.

${formatLocal(local)}
`;
