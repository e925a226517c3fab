import { existsSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { ParseArgsOptionsConfig } from 'node:util';
import { type ExportedUser, isKnown } from '../transfer/person.ts';
import { type Parsed, runCommand } from './command.ts';
import { checkOutputs, isCsvFile, namePartFile } from './transfer/outputs.ts';
import { openPlace, PLACE_HELP, type Place, placeOptions } from './transfer/place.ts';
import type { ExportSource } from './transfer/write-rows.ts';

const HELP = `npm run export -- [options] FILE
Exports all users to a CSV or NDJSON file, by its name: users.csv, users.ndjson, users.ndjson.gz; - is standard output.
npm run export -- --filter plan=pro FILE exports users with a value of a field that is declared with filter.
npm run export -- --since TIME FILE exports those who were created or changed since, as they are, and lists deleted ones in FILE.deletions.ndjson.
npm run -s export -- --user ID prints all that is held about one person, with the changes that are kept and who made them.

${PLACE_HELP}
  --posts            also exports the posts of each user: to NDJSON only
  --filter FIELD=VALUE  only users with this value; repeat it for other fields, and all have to match
  --since TIME       only users changed since a time, such as 2026-01-31T12:00:00Z, or after a cursor, which each such export prints
  --deletions FILE   the file of deleted users
  --force            replaces an existing file
  --user ID          prints one person as JSON
  --help

Each user is as of some moment during the run. No user is missing who existed from 15 seconds before its start to its end.`;

const options = {
  ...placeOptions,
  posts: { type: 'boolean', default: false },
  filter: { type: 'string', multiple: true, default: [] },
  since: { type: 'string' },
  deletions: { type: 'string' },
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
  if (values.filter.length > 0) checkFilterUse(values);
  if (values.user !== undefined) return { file, values, changes: undefined };
  const changes = readChangeSettings(file, values);
  const outputs = [file, ...(changes ? [changes.deletions] : [])].filter((output) => output !== '-');
  for (const output of outputs) {
    checkOutputs([output, namePartFile(output)], values);
    if (existsSync(output) && !values.force)
      throw new Error(`${output} exists. Name another file, or replace it with --force`);
  }
  return { file, values, changes };
}

/** After an export of changes, users who no longer match would be missing from both files. */
function checkFilterUse({ since, user }: { since?: string | undefined; user?: string | undefined }) {
  if (since !== undefined)
    throw new Error('--filter cannot be combined with --since: export all changes, and filter the users of the file');
  if (user !== undefined) throw new Error('--filter cannot be combined with --user, which names one person');
}

/** Nobody may take deleted users for existing ones: an export of changes always writes both files. */
function readChangeSettings(
  file: string,
  { since, deletions }: { since?: string | undefined; deletions?: string | undefined },
) {
  if (since === undefined) {
    if (deletions !== undefined) throw new Error('--deletions is for an export with --since');
    return undefined;
  }
  if (file === '-' && deletions === undefined)
    throw new Error('Name a file for deleted users with --deletions, as users go to standard output');
  return { since: readStart(since), deletions: deletions ?? `${file}.deletions.ndjson` };
}

/** A date is the start of its day in UTC. What is no time is a cursor. */
function readStart(text: string): string {
  const isTime = /^\d{4}-\d\d-\d\d/.test(text);
  if (!isTime) return text;
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new Error(`--since ${text} is no time: write it as 2026-01-31T12:00:00Z`);
  return new Date(time).toISOString();
}

async function run({ file, values, changes }: Settings): Promise<void> {
  const place = await openPlace(values);
  try {
    const source = await openSource(place);
    if (values.user !== undefined) await printPerson(source, values.user);
    else if (changes) await exportChanges(source, file, values.posts, changes);
    else await exportMatching(source, file, values);
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

async function exportMatching(
  source: ExportSource,
  file: string,
  { posts, filter }: { posts: boolean; filter: readonly string[] },
): Promise<void> {
  const { parseFilter } = await import('./transfer/filter.ts');
  await exportUsers(source, file, source.readUsers({ posts, filter: parseFilter(filter) }));
}

type ChangeSettings = { since: string; deletions: string };

async function exportChanges(
  source: ExportSource,
  file: string,
  posts: boolean,
  { since, deletions: deletionsFile }: ChangeSettings,
): Promise<void> {
  const { readChangedUsers } = await import('../transfer/changes.ts');
  const { writeDeletions } = await import('./transfer/write-rows.ts');
  const { users, deletions, end } = await readChangedUsers(since, source.readChanges);
  writeDeletions(deletionsFile, deletions);
  const rows = Readable.from(users);
  await exportUsers(source, file, posts ? source.addPosts(rows) : rows);
  console.error(`${deletions.length.toLocaleString('en')} deleted users in ${deletionsFile}`);
  console.error(`The next export continues with --since ${end}`);
}

async function exportUsers(source: ExportSource, file: string, rows: AsyncIterable<ExportedUser>): Promise<void> {
  const { writeRows } = await import('./transfer/write-rows.ts');
  const { ProgressReport } = await import('./progress.ts');
  const { formatDuration } = await import('../transfer/duration.ts');
  const report = new ProgressReport();
  const onUser = (count: number) => report.update({ rows: count, part: undefined });
  const { users, leftOut } = await writeRows(file, rows, source.fields, onUser);
  report.end();
  // Standard output may be the file.
  console.error(`${users.toLocaleString('en')} users in ${formatDuration(performance.now() / 1000)}`);
  if (leftOut > 0) console.error(`${leftOut} values of fields that are not declared have no column. NDJSON has them.`);
}
