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
import { type Candidate, findFunctions, findPeers } from './speed/candidates.ts';
import { drawCharts } from './speed/charts.ts';
import { measureColdStarts, measureWarm } from './speed/invocations.ts';
import { measureLocalServices } from './speed/local-services.ts';
import { formatReport } from './speed/report.ts';
import { startStubDatabase } from './speed/stub-database.ts';

const { rounds, out } = parseArgs({
  options: {
    rounds: { type: 'string', default: '41' },
    out: { type: 'string', default: import.meta.dirname },
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
    ...findFunctions(withFields, 'service, with ten own fields', WITH_FIELDS),
  ];
}

/** Own fields cost a function the same, whichever it is: reading their file. Those that write also make their schemas. */
const WITH_FIELDS = ['get-user', 'create-user', 'graphql'];

/** They are of every type. */
function readTenFields() {
  const declared = JSON.parse(readFileSync('test/setup/own-fields.json', 'utf8'));
  return readFields(Object.fromEntries(Object.entries(declared).slice(0, 10)));
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
  const warm = await measureWarm(compared, database.endpoint, {
    rounds: count,
    progress: progressBar('warm', compared.length + count),
  });
  const local = await measureLocalServices(PEERS, { rounds: count, progress: progressBar('npm start', count) });
  const results = { rounds: count, coldStarts, warm, local };
  const report = formatReport(results);
  writeFileSync(join(out, 'speed.md'), report);
  for (const [name, chart] of Object.entries(drawCharts(results))) writeFileSync(join(out, `speed-${name}.svg`), chart);
  console.log(report);
} finally {
  rmSync(folder, { recursive: true });
}
