import { existsSync } from 'node:fs';
import type { ParseArgsOptionsConfig } from 'node:util';
import { isKnown } from '../transfer/person.ts';
import { type Parsed, runCommand } from './command.ts';
import { checkOutputs, isCsvFile, namePartFile } from './transfer/outputs.ts';
import { openPlace, PLACE_HELP, type Place, placeOptions } from './transfer/place.ts';
import type { ExportSource } from './transfer/write-rows.ts';

const HELP = `npm run export -- [options] FILE
Exports all users to a CSV or NDJSON file, by its name: users.csv, users.ndjson, users.ndjson.gz; - is standard output.
npm run -s export -- --user ID prints all that is held about one person, with the changes that are kept and who made them.

${PLACE_HELP}
  --posts            also exports the posts of each user: to NDJSON only
  --force            replaces an existing file
  --user ID          prints one person as JSON
  --help

Each user is as of some moment during the run. No user is missing who existed from 15 seconds before its start to its end.`;

const options = {
  ...placeOptions,
  posts: { type: 'boolean', default: false },
  force: { type: 'boolean', default: false },
  user: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

type Settings = ReturnType<typeof readSettings>;

await runCommand({ options, help: HELP, failure: 'Not exported' }, (parsed) => run(readSettings(parsed)));

function readSettings({ values, positionals }: Parsed<typeof options>) {
  const [file = ''] = positionals;
  const isNamed = /(^-|\.(csv|ndjson|jsonl)(\.gz)?)$/.test(file);
  if (values.user === undefined && !(positionals.length === 1 && isNamed))
    throw new Error(`Name a file that ends with .csv, .ndjson, .csv.gz or .ndjson.gz.\n${HELP}`);
  if (values.posts && isCsvFile(file)) throw new Error('--posts needs NDJSON: a CSV file has users only');
  if (file === '-' || values.user !== undefined) return { file, values };
  checkOutputs([file, namePartFile(file)], values);
  if (existsSync(file) && !values.force)
    throw new Error(`${file} exists. Name another file, or replace it with --force`);
  return { file, values };
}

async function run({ file, values }: Settings): Promise<void> {
  const place = await openPlace(values);
  try {
    const source = await openSource(place);
    if (values.user !== undefined) await printPerson(source, values.user);
    else await exportAll(source, file, values.posts);
  } finally {
    await place.stop();
  }
}

async function openSource({ deployment }: Place): Promise<ExportSource> {
  // They are imported only now, as they read the environment and the fields.
  if (!deployment) return (await import('./transfer/table-source.ts')).tableSource;
  const { connect } = await import('./transfer/deployment.ts');
  const { ownFields } = await import('../../lib/users/fields/values.ts');
  const { openServiceSource } = await import('./transfer/service-source.ts');
  const fields = ownFields.map(({ name }) => name);
  return openServiceSource(connect(deployment, { maxAttempts: 8, fields }), fields);
}

async function printPerson(source: ExportSource, id: string): Promise<void> {
  const person = await source.readPerson(id);
  if (!isKnown(person)) throw new Error(`Nothing is held about a user ${id}`);
  console.log(JSON.stringify(person, undefined, 2));
}

async function exportAll(source: ExportSource, file: string, posts: boolean): Promise<void> {
  const { writeRows } = await import('./transfer/write-rows.ts');
  const { ProgressReport } = await import('./progress.ts');
  const { formatDuration } = await import('../transfer/duration.ts');
  const report = new ProgressReport();
  const onUser = (rows: number) => report.update({ rows, part: undefined });
  const { users, leftOut } = await writeRows(file, source.readUsers({ posts }), source.fields, onUser);
  report.end();
  // Standard output may be the file.
  console.error(`${users.toLocaleString('en')} users in ${formatDuration(performance.now() / 1000)}`);
  if (leftOut > 0) console.error(`${leftOut} values of fields that are not declared have no column. NDJSON has them.`);
}
