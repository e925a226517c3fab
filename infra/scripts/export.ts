import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { ParseArgsOptionsConfig } from 'node:util';
import { isDate, toUtc } from '../../lib/input/time.ts';
import type { GroupIndex } from '../transfer/memberships.ts';
import { type ExportedUser, isKnown } from '../transfer/person.ts';
import { abortOnSignal, type Parsed, runCommand } from './command.ts';
import { checkOutputs, isCsvFile, namePartFile } from './transfer/outputs.ts';
import {
  openExportSource,
  openGroupIndex,
  openGroups,
  PLACE_HELP,
  type Place,
  placeOptions,
  requireDatabase,
  withPlace,
} from './transfer/place.ts';
import type { ExportSource } from './transfer/write-rows.ts';

const HELP = `npm run export -- [options] FILE
Exports all users to a CSV or NDJSON file. The file name sets the format: users.csv, users.ndjson, users.ndjson.gz; - is standard output.
npm run export -- --filter 'plan=pro&score.gte=10' FILE exports users who match. Conditions are those of lists: fields with filter, and ranges of fields with sort.
npm run export -- --groups GROUPS [FILE] exports groups, too, for import -- --groups GROUPS. A user's groups have their externalId, or else their id.
npm run export -- --since TIME FILE exports users created or changed since TIME, and lists deleted users in FILE.deletions.ndjson.
npm run -s export -- --user ID prints the data about one person, including stored changes and their authors. Without --table, changes of posts older than a day and values of undeclared fields are missing. earlierRecords names deleted users with the same subject: print them, too.

${PLACE_HELP}
  --posts            also exports the posts of each user; NDJSON only
  --filter CONDITION only users with a value (plan=pro), one of several (plan=pro&plan=team), or in a range (score.gte=10, .gt, .lte, .lt, score.exists=false); repeatable for other fields, and all must match
  --since TIME       only users changed since a time, such as 2026-01-31T12:00:00Z, or since the cursor that the last such export printed
  --deletions FILE   the file for deleted users
  --groups FILE      the file for groups, CSV or NDJSON, with id, externalId and name
  --force            replaces an existing file
  --user ID          prints one person as JSON
  --help

Each user is exported as of some moment during the run. The export contains every user who existed from 15 seconds before its start to its end.`;

const options = {
  ...placeOptions,
  posts: { type: 'boolean', default: false },
  filter: { type: 'string', multiple: true, default: [] },
  since: { type: 'string' },
  deletions: { type: 'string' },
  groups: { type: 'string' },
  force: { type: 'boolean', default: false },
  user: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

const FILE_NAME = /(^-|\.(csv|ndjson|jsonl)(\.gz)?)$/;

type Settings = ReturnType<typeof readSettings>;

await runCommand({ options, help: HELP, failure: 'Not exported' }, (parsed) => run(readSettings(parsed)));

function readSettings({ values, positionals }: Parsed<typeof options>) {
  const [file = ''] = positionals;
  if (values.user !== undefined) {
    checkUserUse(values, positionals);
    return { file, values, changes: undefined };
  }
  const { groups } = values;
  const isOnlyGroups = groups !== undefined && positionals.length === 0;
  const names = [...positionals, ...(groups === undefined ? [] : [groups])];
  if (!(isOnlyGroups || positionals.length === 1) || !names.every((name) => FILE_NAME.test(name)))
    throw new Error(`Pass one file that ends with .csv, .ndjson, .csv.gz or .ndjson.gz.\n${HELP}`);
  if (groups !== undefined && resolve(groups) === resolve(file)) throw new Error('--groups requires a file of its own');
  if (values.posts && isCsvFile(file)) throw new Error('--posts requires NDJSON: a CSV file only contains users');
  if (values.filter.length > 0 && values.since !== undefined)
    // Users who changed and no longer match would be in neither file.
    throw new Error('--filter cannot be combined with --since: export all changes, then filter the file');
  const changes = readChangeSettings(file, values);
  const outputs = [...names, ...(changes ? [changes.deletions] : [])].filter((output) => output !== '-');
  for (const output of outputs) {
    checkOutputs([output, namePartFile(output)], { fields: values.fields, data: values.data });
    if (existsSync(output) && !values.force)
      throw new Error(`${output} already exists. Pass another file, or replace it with --force`);
  }
  return { file, values, changes };
}

function checkUserUse(values: Parsed<typeof options>['values'], files: string[]): void {
  const file = files.find((file) => file !== '-');
  if (file) throw new Error(`--user prints to standard output: redirect it, as in --user ID > ${file}`);
  const { posts, filter, since, deletions, groups } = values;
  const others = Object.entries({ posts, filter: filter.length > 0, since, deletions, groups }).filter(
    ([, value]) => value,
  );
  if (others.length > 0) throw new Error(`--${others[0]?.[0]} cannot be combined with --user, which prints one person`);
}

/** Always writes a file of deleted users, so that none is overlooked. */
function readChangeSettings(
  file: string,
  { since, deletions }: { since?: string | undefined; deletions?: string | undefined },
) {
  if (since === undefined) {
    if (deletions !== undefined) throw new Error('--deletions requires --since');
    return undefined;
  }
  if (file === '-' && deletions === undefined)
    throw new Error('Set --deletions to a file for deleted users, because standard output receives the users');
  if (deletions !== undefined && (deletions === '-' || resolve(deletions) === resolve(file)))
    throw new Error('--deletions requires a file of its own');
  return { since: readStart(since), deletions: deletions ?? `${file}.deletions.ndjson` };
}

/** A date means the start of its day in UTC. Text that does not start like a date is a cursor. */
function readStart(text: string): string {
  if (!/^\d+-/.test(text)) return text;
  const time = toUtc(isDate(text) ? `${text}T00:00:00Z` : text);
  if (time !== undefined) return time;
  throw new Error(`--since ${text} is not a valid time: write it as 2026-01-31T12:00:00Z or 2026-01-31T13:00:00+01:00`);
}

async function run({ file, values, changes }: Settings): Promise<void> {
  requireDatabase(values.data);
  await withPlace(values, async (place) => {
    const source = await openExportSource(place);
    if (values.user !== undefined) return printPerson(source, values.user.toLowerCase());
    const index = await openGroupIndex(place);
    if (changes) await exportChanges(source, file, { ...values, index }, changes);
    else if (file !== '') await exportMatching(source, file, { ...values, index });
    // Later than the users, so the file has all their groups.
    if (values.groups !== undefined) await exportGroups(place, values.groups);
  });
}

async function exportGroups(place: Place, file: string): Promise<void> {
  const { writeGroups } = await import('./transfer/write-rows.ts');
  const store = await openGroups(place);
  const count = await writeGroups(file, store.list(), abortOnSignal());
  console.error(`${count.toLocaleString('en')} groups in ${file}`);
}

async function printPerson(source: ExportSource, id: string): Promise<void> {
  const person = await source.readPerson(id);
  if (!isKnown(person)) throw new Error(`There is no data about a user ${id}`);
  console.log(JSON.stringify(person, undefined, 2));
  if (person.postChanges === null)
    console.error(
      'Changes of posts are missing: subscriptions are off, or were off within the last 24 hours, or the clock of this machine is slow. Use --table',
    );
}

async function exportMatching(
  source: ExportSource,
  file: string,
  { posts, filter, index }: UserOptions & { filter: readonly string[] },
): Promise<void> {
  const { parseFilter } = await import('./transfer/filter.ts');
  await exportUsers(source, file, source.readUsers({ posts, criteria: parseFilter(filter) }), index);
}

/** `index`: undefined without groups. */
type UserOptions = { posts: boolean; index: GroupIndex | undefined };

type ChangeSettings = { since: string; deletions: string };

async function exportChanges(
  source: ExportSource,
  file: string,
  { posts, index }: UserOptions,
  { since, deletions: deletionsFile }: ChangeSettings,
): Promise<void> {
  const { readChangedUsers } = await import('../transfer/changes.ts');
  const { writeDeletions } = await import('./transfer/write-rows.ts');
  const { users, deletions, end } = await readChangedUsers(since, source.readChanges).catch((error: Error) => {
    throw Object.assign(error, { message: error.message.replace(/^after: /, '--since ') });
  });
  const rows = Readable.from(users);
  await exportUsers(source, file, posts ? source.addPosts(rows) : rows, index);
  writeDeletions(deletionsFile, deletions);
  console.error(`${deletions.length.toLocaleString('en')} deleted users in ${deletionsFile}`);
  console.error(`For the next export, use --since ${end}`);
}

async function exportUsers(
  source: ExportSource,
  file: string,
  rows: AsyncIterable<ExportedUser>,
  index: GroupIndex | undefined,
): Promise<void> {
  const { nameMemberships } = await import('../transfer/memberships.ts');
  const { writeRows } = await import('./transfer/write-rows.ts');
  const { ProgressReport } = await import('./progress.ts');
  const { formatDuration } = await import('../transfer/duration.ts');
  const report = new ProgressReport('users');
  const signal = abortOnSignal();
  const onUser = (count: number) => report.update({ count });
  let withoutGroup = 0;
  const onLeftOut = (count: number) => {
    withoutGroup += count;
  };
  const named = index ? nameMemberships(rows, { index, onLeftOut }) : rows;
  const { users, leftOut } = await writeRows(file, named, source.fields, { onUser, signal }).catch((error) => {
    report.end();
    throw signal.aborted ? new Error(`Stopped. ${file} was not written`) : error;
  });
  report.end();
  console.error(`${users.toLocaleString('en')} users in ${formatDuration(performance.now() / 1000)}`);
  if (leftOut > 0)
    console.error(
      `${leftOut} values of undeclared fields are not exported, because CSV has no columns for them. Use NDJSON to export them.`,
    );
  if (withoutGroup > 0) console.error(`${withoutGroup} memberships of deleted groups are not exported.`);
}
