import { hasFieldsDeclared } from '../own-fields/provide.ts';
import { type Parsed, requireArgument, runCommand } from './command.ts';
import { checkInput } from './transfer/outputs.ts';
import { requireTable, TABLE_HELP, tableOptions, withTable } from './transfer/place.ts';

const HELP = `npm run relink -- --issuer URL [options] FILE
Changes the subjects of users after a user pool has moved to another token issuer. Meanwhile, for at least a minute, people cannot use
their own records. Afterwards, own records require tokens of the new issuer.
FILE is a CSV file with the columns id and subject, and a row per login. The rows of a user replace all former logins. Safe to repeat: users who already have their subject stay unchanged.

  --issuer URL       the issuer of the new subjects, as in the iss claim
${TABLE_HELP}
  --dry-run          only checks the file
  --help`;

const options = {
  issuer: { type: 'string' },
  ...tableOptions,
  'dry-run': { type: 'boolean', default: false },
} as const;

await runCommand({ options, help: HELP, failure: 'Not relinked' }, run);

async function run({ values, positionals }: Parsed<typeof options>): Promise<void> {
  const file = requireArgument(positionals, 'one file', HELP);
  const { issuer, 'dry-run': isDryRun } = values;
  checkInput(file);
  if (!issuer || !URL.canParse(issuer)) throw new Error('Pass the issuer of the new subjects as a URL with --issuer');
  requireTable(values);
  if (!hasFieldsDeclared(values.fields)) throw new Error('Pass a file with the service’s own fields with --fields');
  await withTable(values, { writes: !isDryRun }, async () => {
    const { relink } = await import('./subjects.ts');
    // The service of an embedded database is stopped, so no process has cached the former issuer.
    const pause = values.data === undefined ? {} : { pause: async () => {} };
    const { changed, unchanged, failures } = await relink(file, { issuer, isDryRun, ...pause });
    for (const { line, reason } of failures) console.log(`Line ${line}: ${reason}`);
    const done = isDryRun ? 'would change' : 'changed';
    console.log(`${changed} subjects ${done}, ${unchanged} unchanged, ${failures.length} failed`);
    if (failures.length === 0) {
      if (!isDryRun) console.log(`Within a minute, people can use their own records with tokens of ${issuer}`);
      return;
    }
    if (!isDryRun) console.log('People cannot use their own records until relink succeeds.');
    console.log('Correct the file and run the command again.');
    process.exitCode = 1;
  });
}
