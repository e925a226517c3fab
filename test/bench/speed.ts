import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../../infra/construct/bundling/bundle.ts';
import { grants } from '../../infra/construct/grants.ts';
import { writeOwnFields } from '../../infra/own-fields/bundled-file.ts';
import { readFields } from '../../infra/own-fields/declarations.ts';
import { progressBar } from '../../infra/scripts/progress.ts';
import { type Candidate, findFirstRequests, findFunctions, findPeers } from './speed/candidates.ts';
import { drawCharts } from './speed/charts.ts';
import { measureColdStarts, measureWarm } from './speed/invocations.ts';
import { measureLocalServices } from './speed/local-services.ts';
import { measureBreakdowns } from './speed/profile.ts';
import { formatReport } from './speed/report.ts';
import { startStubDatabase } from './speed/stub-database.ts';

const {
  rounds,
  out,
  'other-node': otherNode,
} = parseArgs({
  options: {
    rounds: { type: 'string', default: '41' },
    out: { type: 'string', default: import.meta.dirname },
    /** The executable of another version of Node.js, to compare cold starts in it. */
    'other-node': { type: 'string' },
  },
}).values;

const PEERS = join(import.meta.dirname, 'peers');

/** Builds the functions as they are deployed, and the peers. */
async function build(folder: string): Promise<Candidate[]> {
  const names = Object.keys(grants);
  const [plain, peers, withFields] = ['plain', 'peers', 'with-fields'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await bundle(names, plain);
  await bundle(WITH_FIELDS, withFields);
  await writeOwnFields(readTenFields(), WITH_FIELDS, withFields);
  if (!existsSync(join(PEERS, 'node_modules'))) execFileSync('npm', ['ci', '--prefix', PEERS], { stdio: 'inherit' });
  execFileSync(process.execPath, [join(PEERS, 'build.mjs'), peers], { stdio: 'inherit' });
  return [
    ...findPeers(peers),
    ...findFunctions(plain),
    ...findFirstRequests(plain),
    ...findFunctions(withFields, 'service, with ten own fields', WITH_FIELDS),
  ];
}

/** Own fields cost a function the same, whichever it is: reading their file. Those that write also make their schemas. */
const WITH_FIELDS = ['get-user', 'create-user', 'graphql'];

const PROFILED = ['floor', 'get-user', 'create-user', 'list-users', 'graphql'];
const PROFILES = 15;
const IN_OTHER = ['bare', 'get-user', 'create-user', 'graphql', 'apollo', 'yoga'];

/** They are of every type. */
function readTenFields() {
  const declared = JSON.parse(readFileSync('test/setup/own-fields.json', 'utf8'));
  return readFields(Object.fromEntries(Object.entries(declared).slice(0, 10)));
}

/** Cold starts in another version of Node.js. */
async function measureOther(node: string, compared: Candidate[], database: string) {
  const candidates = compared.filter(({ name }) => IN_OTHER.includes(name)).map((each) => ({ ...each, node }));
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  const count = Number(rounds);
  const progress = progressBar(version, candidates.length * (count + 1));
  return { version, coldStarts: await measureColdStarts(candidates, database, { rounds: count, progress }) };
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  await using database = await startStubDatabase();
  const candidates = await build(folder);
  const compared = candidates.filter(({ kind }) => kind === 'service' || kind === 'peer');
  const count = Number(rounds);
  const coldStarts = await measureColdStarts(candidates, database.endpoint, {
    rounds: count,
    progress: progressBar('cold starts', candidates.length * (count + 1)),
  });
  const profiled = compared.filter(({ name }) => PROFILED.includes(name));
  const breakdowns = await measureBreakdowns(profiled, database.endpoint, {
    rounds: PROFILES,
    progress: progressBar('profiles', profiled.length * PROFILES),
  });
  const other = otherNode ? await measureOther(otherNode, compared, database.endpoint) : undefined;
  const warm = await measureWarm(compared, database.endpoint, {
    rounds: count,
    progress: progressBar('warm', compared.length + count),
  });
  const local = await measureLocalServices(PEERS, { rounds: count, progress: progressBar('npm start', count) });
  const results = { rounds: count, coldStarts, breakdowns, other, warm, local };
  const report = formatReport(results);
  writeFileSync(join(out, 'speed.md'), report);
  for (const [name, chart] of Object.entries(drawCharts(results))) writeFileSync(join(out, `speed-${name}.svg`), chart);
  console.log(report);
} finally {
  rmSync(folder, { recursive: true });
}
