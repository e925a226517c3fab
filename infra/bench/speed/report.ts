import { execFileSync } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import type { Candidate } from './candidates.ts';
import type { ColdStart, Warm } from './invocations.ts';
import type { LocalService } from './local-services.ts';
import { compareRuns, type Ratio, type Summary } from './statistics.ts';

export type Results = {
  runs: number;
  rounds: number;
  coldStarts: ColdStart[];
  warm: Warm[];
  local: LocalService[];
};

/** The function per API that all others are compared with. */
const BASES = { REST: 'bare', GraphQL: 'yoga', events: 'bare' };

export const findBase = <Measured extends { candidate: Candidate }>(all: Measured[], api: Candidate['api']): Measured =>
  find(all, BASES[api]);

function find<Measured extends { candidate: Candidate }>(all: Measured[], name: string): Measured {
  const found = all.find(
    ({ candidate }) => candidate.name === name && candidate.kind !== 'service, with ten own fields',
  );
  if (!found) throw new Error(`Not measured: ${name}`);
  return found;
}

const number = (value: number, digits = 1) => value.toFixed(digits);
const range = ({ median, lower, upper }: Summary, digits = 1) =>
  `${number(median, digits)} (${number(lower, digits)}–${number(upper, digits)})`;
const ratio = ({ median, lowest, highest }: Ratio, digits = 2) =>
  `${number(median, digits)} (${number(lowest, digits)}–${number(highest, digits)})`;
const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
const table = (head: string[], rows: string[][]) =>
  [row(head), row(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(row)].join('\n');

const label = ({ name, kind }: Candidate) => (kind === 'peer' ? name : `**${name}**${kind.slice('service'.length)}`);

const sort = <Measured extends { candidate: Candidate }>(all: Measured[], read: (measured: Measured) => number) =>
  ['REST', 'GraphQL', 'events'].flatMap((api) =>
    all.filter(({ candidate }) => candidate.api === api).toSorted((a, b) => read(a) - read(b)),
  );

function formatColdStarts(all: ColdStart[], runs: number): string {
  const head = [
    'function',
    'files',
    'kB',
    'modules',
    'CPU ms',
    'of base',
    'ms',
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
      ratio(compareRuns(cpu, base.cpu, runs)),
      range(total),
      number(init.median),
      number(first.median),
      number(second.median),
    ];
  });
  return table(head, rows);
}

type Goal = { what: string; one: Summary; base: string; of: Summary; goal: number };

function formatGoals({ runs, coldStarts, warm }: Results): string {
  const cold = (name: string) => find(coldStarts, name).cpu;
  const isRest = ({ candidate: { api, kind } }: ColdStart) => api === 'REST' && kind === 'service';
  const compare = (one: Summary) => compareRuns(one, cold('bare'), runs).median;
  const slowest = coldStarts.filter(isRest).toSorted((a, b) => compare(b.cpu) - compare(a.cpu))[0];
  if (!slowest) throw new Error('Not measured: REST functions');
  const { name } = slowest.candidate;
  const goals: Goal[] = [
    { what: '`get-user`, cold', one: cold('get-user'), base: 'bare', of: cold('bare'), goal: 0.65 },
    {
      what: `\`${name}\`, cold, the slowest of REST`,
      one: slowest.cpu,
      base: 'bare',
      of: cold('bare'),
      goal: 0.8,
    },
    { what: '`graphql`, cold', one: cold('graphql'), base: 'apollo', of: cold('apollo'), goal: 0.5 },
    { what: '`graphql`, cold', one: cold('graphql'), base: 'yoga', of: cold('yoga'), goal: 0.7 },
    {
      what: '`get-user`, warm',
      one: find(warm, 'get-user').cpu,
      base: 'bare',
      of: find(warm, 'bare').cpu,
      goal: 1,
    },
  ];
  return table(
    ['function', 'compared with', 'goal', 'CPU time', 'met'],
    goals.map(({ what, one, base, of, goal }) => {
      const measured = compareRuns(one, of, runs);
      return [what, `\`${base}\``, `≤ ${number(goal, 2)}`, ratio(measured), measured.median <= goal ? 'yes' : 'no'];
    }),
  );
}

function formatWarm(all: Warm[], runs: number): string {
  const head = ['function', 'CPU ms', 'of base', 'ms', 'p99 ms', 'calls per second'];
  const rows = sort(all, ({ cpu }) => cpu.median).map(({ candidate, handler, cpu, perSecond }) => {
    const base = findBase(all, candidate.api);
    return [
      label(candidate),
      range(cpu, 2),
      ratio(compareRuns(cpu, base.cpu, runs)),
      range(handler, 2),
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

const describeMachine = ({ runs, rounds }: Results): string => {
  const [{ model = 'unknown' } = {}, ...others] = cpus();
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  return `${new Date().toISOString().slice(0, 10)}, commit ${commit}, Node.js ${process.version}, ${process.platform} ${process.arch}, ${others.length + 1} × ${model} with a load of ${number(loadavg()[2] ?? 0, 0)}, ${runs} runs of ${rounds} rounds.`;
};

export const formatReport = (results: Results): string => {
  const { runs, coldStarts, warm, local } = results;
  return `# Speed

\`npm run node -- infra/bench/speed.ts\` writes this page. Each function runs in new processes with the flags of Lambda's runtime. Stubs of the
Runtime API and DynamoDB answer at once. [Peers](peers) only read a user and return it as JSON.

Times are medians with quartiles. CPU time includes all threads, and depends less on other load than ms. "Of base" is a ratio: the median of
${runs} runs, with the lowest and the highest. The base is \`bare\` (only the AWS SDK) for REST, and \`yoga\` for GraphQL.

${describeMachine(results)}

${formatGoals(results)}

## Cold starts

From the start of the process to the first response. \`floor\` sends one signed request with \`fetch\`, without an SDK. Files and kB count what
the function loads, modules those of Node.js itself.

${formatColdStarts(coldStarts, runs)}

The service sends a request to the database during INIT, which makes first calls faster.

## Warm calls

In the handler, with the answer of the database.

${formatWarm(warm, runs)}

## On this machine

\`npm start\` and json-server, both with their data in a file, one request after the other.

${formatLocal(local)}
`;
};
