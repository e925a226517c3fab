import type { ParseArgsOptionsConfig } from 'node:util';
import { hasFieldsDeclared } from '../own-fields/provide.ts';
import { type Parsed, runCommand } from './command.ts';
import { checkInput } from './transfer/outputs.ts';
import { openPlace, requireDatabase } from './transfer/place.ts';

const HELP = `npm run relink -- --issuer URL [options] FILE
Changes the subjects of users after a user pool has moved to another token issuer. Meanwhile, for at least a minute, people cannot use
their own records. Afterwards, own records require tokens of the new issuer.
FILE is a CSV file with the columns id and subject. Safe to repeat: users who already have their subject stay unchanged.

  --issuer URL   the issuer of the new subjects, as in the iss claim
  --table NAME   a table, with the AWS credentials of the environment
  --data DIR     the embedded database in a folder; stop its service first
  --fields FILE  the service's own fields as a JSON file, not those of infra/settings/environments.ts
  --dry-run      only checks the file
  --help`;

const options = {
  issuer: { type: 'string' },
  table: { type: 'string' },
  data: { type: 'string' },
  fields: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

await runCommand({ options, help: HELP, failure: 'Not relinked' }, run);

async function run({ values, positionals }: Parsed<typeof options>): Promise<void> {
  const [file] = positionals;
  const { issuer } = values;
  if (file === undefined || positionals.length > 1) throw new Error(`Pass one file.\n${HELP}`);
  checkInput(file);
  if (!issuer || !URL.canParse(issuer)) throw new Error('Pass the issuer of the new subjects as a URL with --issuer');
  if (values.table === undefined && values.data === undefined) throw new Error('Pass the table with --table or --data');
  if (!hasFieldsDeclared(values.fields)) throw new Error('Pass a file with the service’s own fields with --fields');
  requireDatabase(values.data);
  const place = await openPlace({ ...values, sigv4: false });
  try {
    // The modules read environment variables and own fields on import.
    const { relink } = await import('./subjects.ts');
    const { checkClock } = await import('./transfer/clock.ts');
    if (!values['dry-run']) await checkClock();
    // The service of an embedded database is stopped, so no process has cached the former issuer.
    const pause = values.data === undefined ? {} : { pause: async () => {} };
    const { changed, unchanged, failures } = await relink(file, { issuer, isDryRun: values['dry-run'], ...pause });
    for (const { line, reason } of failures) console.log(`Line ${line}: ${reason}`);
    const done = values['dry-run'] ? 'would change' : 'changed';
    console.log(`${changed} subjects ${done}, ${unchanged} unchanged, ${failures.length} failed`);
    if (failures.length === 0) {
      if (!values['dry-run']) console.log(`Within a minute, people can use their own records with tokens of ${issuer}`);
      return;
    }
    if (!values['dry-run']) console.log('People cannot use their own records until relink succeeds.');
    console.log('Correct the file and run the command again.');
    process.exitCode = 1;
  } finally {
    await place.stop();
  }
}
