import { parseArgs } from 'node:util';
import { databaseEnvironment, startDatabase } from '../local/database/start.ts';
import { LOCAL_TABLE } from '../local/table.ts';
import { progressBar } from './progress-bar.ts';
import type { Report } from './table-consistency.ts';

const USAGE = `npm run check-table -- [--repair | --rebuild] [--data DIR]
Compares email claims and search entries with users, posts with authors and the page index with the directory in the
table TABLE_NAME, which is found by the standard AWS variables.
  --repair    repairs what differs
  --rebuild   also replaces the page index by a new one: after a restore, which may contain a part of a transaction
  --data DIR  takes the embedded database in a folder instead, while the service that uses it is stopped`;

const options = {
  repair: { type: 'boolean', default: false },
  rebuild: { type: 'boolean', default: false },
  data: { type: 'string' },
} as const;

let bar: ((users: number) => void) | undefined;

try {
  const { values } = parseArgs({ options });
  const database = values.data === undefined ? undefined : await startDatabase(values.data);
  try {
    if (database) Object.assign(process.env, databaseEnvironment(database), { TABLE_NAME: LOCAL_TABLE });
    if (!process.env.TABLE_NAME) throw new Error(`TABLE_NAME is not set.\n${USAGE}`);
    // It is imported only now, as it reads the environment.
    const { checkTable } = await import('./table-consistency.ts');
    const repair = values.rebuild ? 'rebuild' : values.repair ? 'counts' : undefined;
    const report = await checkTable({ repair, onScan: showScanned, onVerify: showVerified });
    console.log(format(report));
    const unrepaired = Object.values(report.found).reduce((sum, count) => sum + count, 0) - report.repaired;
    if (unrepaired > 0 || report.indexed !== report.users) process.exitCode = 1;
  } finally {
    await database?.stop();
  }
} catch (error) {
  console.error(`Not checked: ${(error as Error).message}`);
  process.exitCode = 1;
}

function showScanned(items: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${items.toLocaleString('en')} items scanned `);
}

function showVerified(users: number, of: number): void {
  bar ??= progressBar('Verifying the page index', of);
  bar(users);
}

function format({ scanned, users, found, repaired, counts, conflicts, indexed }: Report): string {
  return [
    `${scanned} items scanned, ${users} users; the page index counts ${indexed}`,
    ...Object.entries(found).map(([kind, count]) => `${kind}: ${count}`),
    ...counts.map(({ level, startAfter, was, is }) => `Block ${startAfter} of level ${level}: ${was} is now ${is}`),
    ...conflicts.map((id) => `The address of user ${id} belongs to another user: change or delete one of them.`),
    `${repaired} repaired`,
  ].join('\n');
}
