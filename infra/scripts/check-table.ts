import { parseArgs } from 'node:util';
import type { Report } from './check-table/check.ts';

const USAGE = `npm run check-table -- [--repair]
Compares email claims and search entries with users, posts with authors and the page index with the directory in the
table TABLE_NAME, which is found by the standard AWS variables. Run it after a restore, which may contain a part of a transaction.
  --repair  repairs what differs, and rebuilds the page index`;

try {
  const { values } = parseArgs({ options: { repair: { type: 'boolean', default: false } } });
  if (!process.env.TABLE_NAME) throw new Error(`TABLE_NAME is not set.\n${USAGE}`);
  // Imported only now, as it reads the environment.
  const { checkTable } = await import('./check-table/check.ts');
  const report = await checkTable({ repairs: values.repair, onProgress: showProgress });
  console.log(format(report));
  const unrepaired = Object.values(report.found).reduce((sum, count) => sum + count, 0) - report.repaired;
  if (unrepaired > 0 || report.indexed !== report.users) process.exitCode = 1;
} catch (error) {
  console.error(`Not checked: ${(error as Error).message}`);
  process.exitCode = 1;
}

function showProgress(scanned: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${scanned.toLocaleString('en')} items scanned `);
}

function format({ scanned, users, found, repaired, conflicts, indexed }: Report): string {
  return [
    `${scanned} items scanned, ${users} users; the page index counts ${indexed}`,
    ...Object.entries(found).map(([kind, count]) => `${kind}: ${count}`),
    ...conflicts.map((id) => `The address of user ${id} belongs to another user: change or delete one of them.`),
    `${repaired} repaired`,
  ].join('\n');
}
