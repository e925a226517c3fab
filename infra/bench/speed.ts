import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../construct/bundling/bundle.ts';
import { grants } from '../construct/grants.ts';
import { readFields } from '../own-fields/declarations.ts';
import { progressBar } from '../scripts/progress.ts';
import { type Candidate, findFirstRequests, findFunctions, findPeers } from './speed/candidates.ts';
import { drawCharts } from './speed/charts.ts';
import { measureColdStarts, measureWarm } from './speed/invocations.ts';
import { measureLocalServices } from './speed/local-services.ts';
import { measureBreakdowns } from './speed/profile.ts';
import { formatReport } from './speed/report.ts';
import { startStubDatabase } from './speed/stub-database.ts';

const {
  out,
  'other-node': otherNode,
  ...counts
} = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    out: { type: 'string', default: import.meta.dirname },
    /** Path of another version's `node`, with which some cold starts are also measured. */
    'other-node': { type: 'string' },
  },
}).values;
const [runs, rounds] = [Number(counts.runs), Number(counts.rounds)];

const PEERS = join(import.meta.dirname, 'peers');

async function build(folder: string): Promise<Candidate[]> {
  const names = Object.keys(grants);
  const [plain, peers, withFields] = ['plain', 'peers', 'with-fields'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await bundle(names, plain);
  await bundle(WITH_FIELDS, withFields);
  for (const name of WITH_FIELDS) writeFileSync(join(withFields, name, 'fields.json'), JSON.stringify(readTenFields()));
  if (!existsSync(join(PEERS, 'node_modules'))) execFileSync('npm', ['ci', '--prefix', PEERS], { stdio: 'inherit' });
  execFileSync(process.execPath, [join(PEERS, 'build.mjs'), peers], { stdio: 'inherit' });
  return [
    ...findPeers(peers),
    ...findFunctions(plain),
    ...findFirstRequests(plain),
    ...findFunctions(withFields, 'service, with ten own fields', WITH_FIELDS),
  ];
}

/**
 * Functions that are also measured with own fields: get-user only reads their declarations, the others also build
 * validation schemas from them.
 */
const WITH_FIELDS = ['get-user', 'create-user', 'graphql'];

const PROFILED = ['floor', 'get-user', 'create-user', 'list-users', 'graphql'];
const PROFILES = 15;
const LOCAL_ROUNDS = 20;
const IN_OTHER = ['bare', 'get-user', 'create-user', 'graphql', 'apollo', 'yoga'];

function readTenFields() {
  const declared = JSON.parse(readFileSync('test/setup/own-fields.json', 'utf8'));
  return readFields(Object.fromEntries(Object.entries(declared).slice(0, 10)));
}

const selectForOther = (compared: Candidate[], node: string): Candidate[] =>
  compared.filter(({ name }) => IN_OTHER.includes(name)).map((candidate) => ({ ...candidate, node }));

const readVersion = (node: string): string => execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  await using database = await startStubDatabase();
  const candidates = await build(folder);
  const compared = candidates.filter(({ kind }) => kind === 'service' || kind === 'peer');
  const cold = [...candidates, ...(otherNode ? selectForOther(compared, otherNode) : [])];
  const allColdStarts = await measureColdStarts(cold, database.endpoint, {
    rounds: runs * rounds,
    progress: progressBar('cold starts', cold.length * (runs * rounds + 1)),
  });
  const profiled = compared.filter(({ name }) => PROFILED.includes(name));
  const breakdowns = await measureBreakdowns(profiled, database.endpoint, {
    rounds: PROFILES,
    progress: progressBar('profiles', profiled.length * PROFILES),
  });
  const called = compared.filter(({ api }) => api !== 'events');
  const warm = await measureWarm(called, database.endpoint, {
    ...{ runs, rounds },
    progress: progressBar('warm', called.length * runs),
  });
  const local = await measureLocalServices(PEERS, {
    rounds: LOCAL_ROUNDS,
    progress: progressBar('npm start', LOCAL_ROUNDS),
  });
  const coldStarts = allColdStarts.filter(({ candidate }) => !candidate.node);
  const other = otherNode
    ? { version: readVersion(otherNode), coldStarts: allColdStarts.filter(({ candidate }) => candidate.node) }
    : undefined;
  const results = { runs, rounds, coldStarts, breakdowns, other, warm, local };
  const report = formatReport(results);
  writeFileSync(join(out, 'speed.md'), report);
  for (const [name, chart] of Object.entries(drawCharts(results))) writeFileSync(join(out, `speed-${name}.svg`), chart);
  console.log(report);
} finally {
  rmSync(folder, { recursive: true });
}
