import type { ParseArgsOptionsConfig } from 'node:util';
import { hasFieldsDeclared } from '../own-fields/provide.ts';
import { type Parsed, runCommand } from './command.ts';
import type { Purged } from './field-values.ts';
import { openPlace, requireDatabase } from './transfer/place.ts';

const HELP = `npm run purge-field -- [options] NAME
Deletes the stored values and claims of an own field that is no longer declared. Deploy without the field first.
The table does not list all declared fields: pass those of the deployed service, or a field in use could be deleted.
The history and the change log keep earlier values until they expire.

  --table NAME   a table, with the AWS credentials of the environment
  --data DIR     the embedded database in a folder; stop its service first
  --fields FILE  the own fields of the deployed service as a JSON file, {} if there are none, or name its environment of infra/settings/environments.ts in the variable ENVIRONMENT
  --dry-run      only counts the values
  --help`;

const options = {
  table: { type: 'string' },
  data: { type: 'string' },
  fields: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

await runCommand({ options, help: HELP, failure: 'Not purged' }, run);

async function run({ values, positionals }: Parsed<typeof options>): Promise<void> {
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new Error(`Pass the name of one field.\n${HELP}`);
  if (values.table === undefined && values.data === undefined) throw new Error('Pass the table with --table or --data');
  const source = findSource(values.fields);
  requireDatabase(values.data);
  const place = await openPlace({ ...values, sigv4: false });
  try {
    // The modules read environment variables and own fields on import.
    const { purgeField } = await import('./field-values.ts');
    const { checkClock } = await import('./transfer/clock.ts');
    if (!values['dry-run']) await checkClock();
    const { ownFields } = await import('../../lib/users/fields/values.ts');
    console.log(`Declared in ${source}: ${ownFields.map((field) => field.name).join(', ') || 'no fields'}`);
    const purged = await purgeField(name, { isDryRun: values['dry-run'], onScan: showScanned });
    console.log(format(name, purged, values['dry-run']));
    if (purged.unreadable.length > 0) process.exitCode = 1;
  } finally {
    await place.stop();
  }
}

/**
 * Asks for the source of the declarations, because the command deletes the values of any undeclared field. The default
 * environment could be another one than the table's.
 */
function findSource(file: string | undefined): string {
  if (file !== undefined) return file;
  const { ENVIRONMENT } = process.env;
  if (ENVIRONMENT && hasFieldsDeclared(undefined)) return `the environment ${ENVIRONMENT}`;
  throw new Error(
    'The table does not list all declared fields, so a field in use could be deleted. Pass the own fields of the deployed service as a JSON file with --fields, {} if there are none, or name its environment of infra/settings/environments.ts in the variable ENVIRONMENT',
  );
}

function showScanned(items: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${items.toLocaleString('en')} items scanned `);
}

function format(name: string, { scanned, users, claims, unreadable }: Purged, isDryRun: boolean): string {
  return [
    `${scanned} items scanned`,
    `${isDryRun ? 'Found' : 'Deleted'}: values of ${name} of ${users} users, and ${claims} claims`,
    ...unreadable.map((key) => `Unreadable user, skipped: ${JSON.stringify(key)}`),
  ].join('\n');
}
