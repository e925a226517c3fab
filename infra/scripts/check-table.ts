import type { Key } from '../../lib/dynamodb/keys.ts';
import type { Backfill } from '../../lib/features/backfill/record.ts';
import { rejectArguments, runCommand } from './command.ts';
import { ProgressReport } from './progress.ts';
import type { Kind, Report } from './table-consistency.ts';
import { TABLE_HELP, tableOptions, withTable } from './transfer/place.ts';

const USAGE = `npm run check-table -- (--table NAME | --data DIR) [--repair | --rebuild] [--fields FILE]
Compares claims and index entries with users, posts with authors, and the page index with the directory.
Prints the key of each item that differs, then the number of findings. Exits with 0 if nothing differs, or everything was repaired.

${TABLE_HELP}
  --repair           repairs differences
  --rebuild          also rebuilds the page index: use it after a restore, which may contain part of a transaction
  --help`;

const options = {
  ...tableOptions,
  repair: { type: 'boolean', default: false },
  rebuild: { type: 'boolean', default: false },
} as const;

const OTHER_FIELDS =
  'The service had other fields or search settings than this command: users then differ by mistake. Pass its fields with --fields, or name its environment of infra/settings/environments.ts in the variable ENVIRONMENT';

const scanned = new ProgressReport('items scanned');

await runCommand({ options, help: USAGE, failure: 'Not checked' }, async ({ values, positionals }) => {
  rejectArguments(positionals, USAGE);
  const repair = values.rebuild ? 'rebuild' : values.repair ? 'counts' : undefined;
  await withTable(values, { writes: repair !== undefined }, async () => {
    const { checkTable } = await import('./table-consistency.ts');
    let verified: ProgressReport | undefined;
    const report = await checkTable({
      repair,
      onFinding: printFinding,
      onScan: (items) => scanned.update({ count: items }),
      onVerify: (users, of) => {
        verified ??= new ProgressReport('users of the page index verified');
        verified.update({ count: users, of });
      },
    });
    scanned.end();
    console.log(format(report));
    const unrepaired = Object.values(report.found).reduce((sum, count) => sum + count, 0) - report.repaired;
    if (unrepaired > 0 || report.duplicates.length > 0 || report.indexed !== report.users) process.exitCode = 1;
  });
});

function printFinding(kind: Kind, key: Key): void {
  scanned.end();
  console.log(`${kind}: ${JSON.stringify(key)}`);
}

function format({ scanned, users, found, repaired, counts, duplicates, ...report }: Report): string {
  const { backfill, indexed } = report;
  return [
    `${scanned} items scanned, ${users} users; the page index counts ${indexed}`,
    ...Object.entries(found).map(([kind, count]) => `${kind}: ${count}`),
    ...counts.map(({ level, startAfter, was, is }) => `Block ${startAfter} of level ${level}: ${was} is now ${is}`),
    ...duplicates.map(
      ({ field, userId, ownerId }) =>
        `User ${userId} has the same ${field} as the older user ${ownerId}: change one of them.`,
    ),
    ...(backfill ? [formatBackfill(backfill, users)] : []),
    ...(report.hasOtherFields ? [OTHER_FIELDS] : []),
    `${repaired} repaired`,
  ].join('\n');
}

function formatBackfill({ unique, search, lists, endedAt, ...counts }: Backfill, users: number): string {
  const fields = [
    ...unique.map((name) => `${name} (unique)`),
    ...search.map(({ name }) => `${name} (search)`),
    ...Object.keys(lists)
      .toSorted()
      .map((name) => (name.endsWith('=') ? `${name.slice(0, -1)} (filter)` : `${name} (sort)`)),
  ];
  const state = endedAt ? `ended at ${endedAt}` : `has processed ${counts.users} of ${users} users`;
  const made = `${counts.rewritten} users rewritten, ${counts.duplicates} duplicates`;
  return `The backfill for ${fields.join(', ') || 'no fields'} ${state}: ${made}`;
}
