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
import { measureColdStarts, measureWarm } from './speed/invocations.ts';
import { measureLocalServices } from './speed/local-services.ts';
import { formatReport } from './speed/report.ts';
import { startStubDatabase } from './speed/stub-database.ts';

const { out, ...counts } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '5' },
    out: { type: 'string', default: import.meta.dirname },
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

const LOCAL_ROUNDS = 20;

function readTenFields() {
  const declared = JSON.parse(readFileSync('test/setup/own-fields.json', 'utf8'));
  return readFields(Object.fromEntries(Object.entries(declared).slice(0, 10)));
}

const folder = mkdtempSync(join(tmpdir(), 'bench-'));
try {
  await using database = await startStubDatabase();
  const candidates = await build(folder);
  const coldStarts = await measureColdStarts(candidates, database.endpoint, {
    rounds: runs * rounds,
    progress: progressBar('cold starts', candidates.length * (runs * rounds + 1)),
  });
  const compared = candidates.filter(({ kind }) => kind === 'service' || kind === 'peer');
  const called = compared.filter(({ api }) => api !== 'events');
  const warm = await measureWarm(called, database.endpoint, {
    ...{ runs, rounds },
    progress: progressBar('warm runs', called.length * runs),
  });
  const local = await measureLocalServices(PEERS, {
    rounds: LOCAL_ROUNDS,
    progress: progressBar('starts of npm start', LOCAL_ROUNDS),
  });
  const results = { runs, rounds, coldStarts, warm, local };
  const report = formatReport(results);
  writeFileSync(join(out, 'speed.md'), report);
  console.log(report);
} finally {
  rmSync(folder, { recursive: true });
}
