import { hasFieldsDeclared } from '../own-fields/provide.ts';
import { type Parsed, requireArgument, runCommand } from './command.ts';
import type { Purged } from './field-values.ts';
import { ProgressReport } from './progress.ts';
import { requireTable, TABLE_HELP, tableOptions, withTable } from './transfer/place.ts';

const HELP = `npm run purge-field -- [options] NAME
Deletes the stored values and claims of an own field that is no longer declared. Deploy without the field first.
The table does not list all declared fields: pass those of the deployed service with --fields, {} if there
are none, or name its environment of infra/settings/environments.ts in the variable ENVIRONMENT.
The history and the change log keep earlier values until they expire.

${TABLE_HELP}
  --dry-run          only counts the values
  --help`;

const options = {
  ...tableOptions,
  'dry-run': { type: 'boolean', default: false },
} as const;

await runCommand({ options, help: HELP, failure: 'Not purged' }, run);

async function run({ values, positionals }: Parsed<typeof options>): Promise<void> {
  const name = requireArgument(positionals, 'the name of one field', HELP);
  const isDryRun = values['dry-run'];
  const source = findSource(values);
  await withTable(values, { writes: !isDryRun }, async () => {
    const { purgeField } = await import('./field-values.ts');
    const { ownFields } = await import('../../lib/users/fields/values.ts');
    console.log(`Declared in ${source}: ${ownFields.map((field) => field.name).join(', ') || 'no fields'}`);
    const scanned = new ProgressReport('items scanned');
    const purged = await purgeField(name, { isDryRun, onScan: (items) => scanned.update({ count: items }) });
    scanned.end();
    console.log(format(name, purged, isDryRun));
    if (purged.unreadable.length > 0) process.exitCode = 1;
  });
}

/**
 * Asks for the source of the declarations, because the command deletes the values of any undeclared field. The default
 * environment could be another one than the table's.
 */
function findSource({ fields, ...values }: Parsed<typeof options>['values']): string {
  requireTable(values);
  if (fields !== undefined) return fields;
  const { ENVIRONMENT } = process.env;
  if (ENVIRONMENT && hasFieldsDeclared(undefined)) return `the environment ${ENVIRONMENT}`;
  throw new Error(
    'The table does not list all declared fields, so a field in use could be deleted. Pass the own fields of the deployed service as a JSON file with --fields, {} if there are none, or name its environment of infra/settings/environments.ts in the variable ENVIRONMENT',
  );
}

function format(name: string, { scanned, users, claims, unreadable }: Purged, isDryRun: boolean): string {
  return [
    `${scanned} items scanned`,
    `${isDryRun ? 'Found' : 'Deleted'}: values of ${name} of ${users} users, and ${claims} claims`,
    ...unreadable.map((key) => `Unreadable user, skipped: ${JSON.stringify(key)}`),
  ].join('\n');
}
