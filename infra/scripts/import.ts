import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { formatCanonicalJson } from '../../lib/input/json-equality.ts';
import { disableStream, LOCAL_TABLE } from '../local/table.ts';
import type { Counts, Target } from '../transfer/import-rows.ts';
import type { Pace } from '../transfer/pace.ts';
import type { Row } from '../transfer/rows.ts';
import { abortOnSignal, describeError, type Parsed, requireArgument, runCommand } from './command.ts';
import type { PlannedGroups } from './transfer/import-groups.ts';
import { checkInput, checkOutputs, nameResultFiles } from './transfer/outputs.ts';
import {
  openExportSource,
  openGroupIndex,
  openGroups,
  PLACE_HELP,
  type Place,
  placeOptions,
  requireTable,
  withPlace,
} from './transfer/place.ts';
import type { Results } from './transfer/results.ts';

const HELP = `npm run import -- [options] FILE
Imports users from a CSV, NDJSON or JSON file, which may be gzipped; - is standard input. Writes one line per row to
FILE.results.ndjson. Ctrl-C or SIGTERM stops; the same command continues. Exits with 0 if no row was rejected.
npm run import -- --groups GROUPS [FILE] first creates the groups in a file with externalId and name.

${PLACE_HELP}
  --from TOOL        the file of another tool: auth0, cognito, firebase, clerk, supabase, keycloak, okta, mailchimp,
                     hubspot, google or outlook. Prints the mapping first. --map and --ignore change it
  --map FIELD=COLUMN the column or JSON member of a field, if its name differs; '#3' is the third column, and
                     name='First Name+Last Name' joins two. Repeatable
  --ignore COLUMN    skips a column or member; '*' skips all that are not fields. Repeatable
  --default FIELD=TEXT  the value of a field in rows without one, such as name=Unknown; not with --update. Repeatable
  --no-header        the first line of a CSV file is a row: name the columns '#1', '#2' …
  --delimiter CHAR   separates the cells of a CSV file, such as ';' or tab; detected by default
  --update           updates existing users; by default they stay unchanged
  --by FIELD         finds the users to update by id, email or a unique field; by default by id if it is known, else by
                     email. Requires --update
  --dry-run          validates all rows without writing; does not detect values that other users have
  --groups FILE      first creates the groups in FILE whose externalId no group has; --update changes names. Writes
                     FILE.results.ndjson
  --keep-ids         keeps the ids of users, posts and groups: for tables only
  --deletions FILE   first deletes the users in FILE, which export --since wrote; requires --keep-ids
  --despite-erasure  imports people who were erased; by default they are skipped
  --keep-times       keeps times and versions: for tables only. Without --keep-ids, new ids contain createdAt
  --missing report   lists users without a row, by address, kept id or --by, in FILE.missing.ndjson; deletes none
  --encoding NAME    such as windows-1252; UTF-8 by default; UTF-16 is detected
  --results FILE     the file for the results
  --force            starts over, and replaces the results of an earlier import
  --help`;

const options = {
  ...placeOptions,
  from: { type: 'string' },
  map: { type: 'string', multiple: true, default: [] },
  ignore: { type: 'string', multiple: true, default: [] },
  default: { type: 'string', multiple: true, default: [] },
  'no-header': { type: 'boolean', default: false },
  update: { type: 'boolean', default: false },
  by: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  'keep-ids': { type: 'boolean', default: false },
  deletions: { type: 'string' },
  groups: { type: 'string' },
  'despite-erasure': { type: 'boolean', default: false },
  'keep-times': { type: 'boolean', default: false },
  delimiter: { type: 'string' },
  missing: { type: 'string' },
  encoding: { type: 'string' },
  results: { type: 'string' },
  force: { type: 'boolean', default: false },
} as const satisfies ParseArgsOptionsConfig;

const COLUMN_HINTS = {
  columns:
    'Set the column of a field with --map FIELD=COLUMN, and skip columns with --ignore COLUMN; #3 is the third column',
  header: "If the first line is a row, pass --no-header, and the columns with --map email='#1'",
  ids: 'Keep them in an own field with --map externalId=id, or skip them with --ignore id',
};

/** Shorter pauses are normal for a table that adapts its capacity. */
const LONG_PAUSE_MS = 3_000;

/** Each one creates up to 15 groups. */
const MAX_GROUP_BATCHES = 4;

type Settings = ReturnType<typeof readSettings>;

await runCommand({ options, help: HELP, failure: 'Not imported' }, async (parsed) => {
  const settings = readSettings(parsed);
  const { 'dry-run': isDryRun } = settings.values;
  await withPlace(settings.values, (place) => importAll(place, settings), {
    opensDatabase: !isDryRun || settings.values.missing !== undefined,
  });
});

function stopOnSignal(): AbortSignal {
  return abortOnSignal('\nStopping after the current requests. Press Ctrl-C again to stop at once.');
}

async function importAll(place: Place, settings: Settings): Promise<void> {
  const { file, groups } = settings;
  if (file !== undefined) return importInto(place, { ...settings, file });
  const imported = groups && (await importGroupsInto(place, groups, settings, stopOnSignal()));
  imported?.close({ isComplete: imported.isComplete });
}

function readSettings({ values, positionals }: Parsed<typeof options>) {
  const isOnlyGroups = values.groups !== undefined && positionals.length === 0;
  const file = isOnlyGroups ? undefined : requireArgument(positionals, 'one file', HELP);
  if (file !== undefined) checkInput(file);
  // The APIs accept neither ids nor times.
  for (const name of ['keep-ids', 'keep-times'] as const) if (values[name]) requireTable(values, `--${name}`);
  if (values.by !== undefined && !values.update) throw new Error('--by requires --update');
  if (values.deletions !== undefined) {
    if (!values['keep-ids']) throw new Error('--deletions requires --keep-ids: only kept ids name the same users');
    if (values.deletions === '-') throw new Error('--deletions requires a file: standard input may contain the users');
    checkInput(values.deletions);
  }
  const map = values.map.map((text): [column: string, field: string] => {
    const [field, column] = splitAssignment(text, '--map must be FIELD=COLUMN, such as --map email=E-Mail');
    return [column, field];
  });
  const defaults = new Map(
    values.default.map((text) => splitAssignment(text, '--default must be FIELD=TEXT, such as --default name=Unknown')),
  );
  if (values.update && defaults.size > 0)
    throw new Error('--default cannot be used with --update: it would replace the values of existing users');
  const named = [...map.map(([column]) => column), ...values.ignore];
  const twice = named.find((column, at) => named.indexOf(column) < at);
  if (twice !== undefined) throw new Error(`--map and --ignore name the column ${twice} twice: name each column once`);
  if (values.from !== undefined && (values['no-header'] || values['keep-ids']))
    throw new Error(
      '--from cannot be used with --no-header or --keep-ids: it knows the columns, and other tools have other ids',
    );
  if (values.missing !== undefined && values.missing !== 'report')
    throw new Error('--missing must be report: it lists users, and deletes none');
  if (values.results === '-') throw new Error('--results requires a file: standard output receives the summary');
  const resultsFile = values.results ?? `${file === '-' ? 'stdin' : file}.results.ndjson`;
  const groups = values.groups === undefined ? undefined : readGroupSettings(values.groups);
  if (file !== undefined) checkOutputs(Object.values(nameResultFiles(resultsFile)), { file, ...values });
  if (groups) checkOutputs(Object.values(nameResultFiles(groups.resultsFile)), { file, ...values });
  if (groups && file !== undefined && resolve(groups.resultsFile) === resolve(resultsFile))
    throw new Error('--results must differ from the results of --groups');
  return {
    file,
    groups,
    resultsFile,
    values,
    textOptions: {
      encoding: values.encoding,
      delimiter: parseDelimiter(values.delimiter),
      header: !values['no-header'],
    },
    rowOptions: {
      ...{ map: new Map(map), ignore: new Set(values.ignore), defaults },
      ...{ keepIds: values['keep-ids'], keepTimes: values['keep-times'] },
      timesUnstored: values['keep-times'] ? undefined : (columns: string[]) => describeUnstored(values, columns),
    },
  };
}

function readGroupSettings(file: string) {
  if (file === '-') throw new Error('--groups requires a file: standard input may contain the users');
  checkInput(file);
  return { file, resultsFile: `${file}.results.ndjson` };
}

function splitAssignment(text: string, message: string): [name: string, value: string] {
  const [name = '', ...value] = text.split('=');
  if (!name || value.length === 0) throw new Error(message);
  return [name, value.join('=')];
}

type Targets = { table?: string | undefined; data?: string | undefined };

function describeUnstored({ table, data }: Targets, columns: string[]): string {
  const isTable = table !== undefined || data !== undefined;
  const names = columns.map((column) => JSON.stringify(column)).join(', ');
  const ignoring = columns.map((column) => `--ignore ${/^\w+$/u.test(column) ? column : `'${column}'`}`).join(' ');
  const reason = isTable ? 'without --keep-times: use it' : 'by the APIs: use --table --keep-times';
  return `The file has ${names}, not stored ${reason}, or ${ignoring}`;
}

function parseDelimiter(text: string | undefined): string | undefined {
  const delimiter = text === 'tab' || text === '\\t' ? '\t' : text;
  if (delimiter !== undefined && !/^[^"\r\n]$/u.test(delimiter))
    throw new Error('--delimiter must be one character, or tab');
  return delimiter;
}

async function importInto(place: Place, settings: Omit<Settings, 'file'> & { file: string }): Promise<void> {
  const { file, groups, resultsFile, values, rowOptions, textOptions } = settings;
  // Modules of lib/ read environment variables and own fields on import.
  const { importRows } = await import('../transfer/import-rows.ts');
  const { ColumnError, readRows } = await import('../transfer/rows.ts');
  const { resolveMemberships } = await import('../transfer/memberships.ts');
  const { Pace } = await import('../transfer/pace.ts');
  const { pause } = await import('../../lib/client/transport.ts');
  const { Results } = await import('./transfer/results.ts');
  const { ProgressReport } = await import('./progress.ts');
  const { MissingUsers } = await import('./transfer/missing.ts');
  const { formatDuration } = await import('../transfer/duration.ts');
  const { openSource } = await import('./transfer/source.ts');

  const preset = values.from === undefined ? undefined : await openPreset(values.from, values, rowOptions);
  const deletions = values.deletions === undefined ? undefined : await openDeletions(values.deletions);
  const input = await describeRepeatable(place, file, values);
  const results = await Results.open(resultsFile, input, values);
  if (results.doneUpTo > 0) console.error(`Continuing after line ${results.doneUpTo}.`);
  const signal = stopOnSignal();
  const imported = groups
    ? await importGroupsInto(place, groups, settings, signal).catch((error) => {
        results.close({ isComplete: false });
        throw error;
      })
    : undefined;
  if (imported && !imported.isComplete) {
    imported.close({ isComplete: false });
    return results.close({ isComplete: false });
  }
  const index = await openGroupIndex(place, imported?.planned);
  const source = openSource(file, { signal });
  const target = values['dry-run']
    ? undefined
    : await openTarget(place, values, results).catch((error) => {
        imported?.close({ isComplete: false });
        results.close({ isComplete: false });
        throw error;
      });
  const report = new ProgressReport('rows');
  const pace = new Pace({
    maxLimit: target?.maxParallel ?? 1,
    isBusy: target?.isBusy ?? (() => false),
    signal,
    pause: (ms, error) => {
      if (ms > LONG_PAUSE_MS) report.warn(`Waiting: ${(error as Error).message}. The import retries for some minutes.`);
      return pause(ms, signal);
    },
  });
  const key = values.by ?? (values['keep-ids'] ? 'id' : 'email');
  const missing = values.missing === undefined ? undefined : new MissingUsers(key);
  const sum = () => Object.values(results.counts).reduce((total, count) => total + count, 0);
  const onProgress = () => report.update({ count: sum(), part: source.findPart(results.doneUpTo) });
  let isComplete = false;
  try {
    const all = readRows(source.chunks, { ...rowOptions, preset }, textOptions);
    const read = missing?.watch(all) ?? all;
    const noted = values['keep-ids'] || values.update ? read : noteIds(read, (text) => report.warn(text));
    const rows = target && deletions ? afterFirst(noted, () => deletions.apply(pace, signal)) : noted;
    const marking = target && markSent(target, results);
    const { unchecked } = place;
    const resolved = index ? resolveMemberships(rows, index) : rows;
    isComplete = await importRows(resolved, { target: marking, pace, results, unchecked, signal, onProgress });
  } catch (error) {
    if (error instanceof ColumnError) throw new Error(`${error.message}. ${COLUMN_HINTS[error.subject]}`);
    throw sum() === 0 ? error : new Error(`${describeError(error as Error)}. ${describeRest(input, results, values)}`);
  } finally {
    report.end();
    results.close({ isComplete: isComplete || values['dry-run'] });
    imported?.close({ isComplete });
    const lacking = results.withoutAddress;
    const withoutAddress = lacking > 0 ? `; ${lacking.toLocaleString('en')} without an email address` : '';
    const seconds = performance.now() / 1000;
    console.log(
      `${sum().toLocaleString('en')} rows in ${formatDuration(seconds)}: ${describeCounts(results.counts)}${withoutAddress}`,
    );
    if (sum() > 0) console.log(`Results: ${resultsFile}`);
  }
  if (values['dry-run'] && place.unchecked.length > 0)
    console.error(
      `Unchecked limits: ${place.unchecked.join(', ')}, because ${place.name}/openapi.json does not contain them. The results list the unchecked fields of each row.`,
    );
  if (results.counts.erased > 0)
    console.error(
      `${results.counts.erased} rows skipped, because these people were erased. To import them, use --despite-erasure.`,
    );
  if (!isComplete) console.error(`Stopped. ${describeRest(input, results, values)}.`);
  else if (missing) {
    const file = nameResultFiles(resultsFile).missing;
    const count = await missing.write(file, await openExportSource(place), signal);
    console.log(`${count.toLocaleString('en')} users of ${place.name} are not in the file: ${file}`);
  }
  process.exitCode = isComplete ? (results.counts.invalid + (imported?.invalid ?? 0) > 0 ? 1 : 0) : 130;
}

function describeCounts(counts: Counts): string {
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  return shown.map(([result, count]) => `${count.toLocaleString('en')} ${result}`).join(', ') || 'none';
}

type ImportedGroups = {
  isComplete: boolean;
  invalid: number;
  /** The groups that a dry run would create. */
  planned: PlannedGroups | undefined;
  /** Until the users are imported, a repeated command continues with the same results. */
  close(ending: { isComplete: boolean }): void;
};

/** Sets the exit code, which the import of users replaces. */
async function importGroupsInto(
  place: Place,
  { file, resultsFile }: { file: string; resultsFile: string },
  { values, textOptions: { encoding, delimiter } }: Pick<Settings, 'values' | 'textOptions'>,
  signal: AbortSignal,
): Promise<ImportedGroups> {
  const { ColumnError } = await import('../transfer/rows.ts');
  const { Pace } = await import('../transfer/pace.ts');
  const { formatDuration } = await import('../transfer/duration.ts');
  const { readGroupRows } = await import('./transfer/group-rows.ts');
  const { importGroups, PlannedGroups } = await import('./transfer/import-groups.ts');
  const { ProgressReport } = await import('./progress.ts');
  const { Results } = await import('./transfer/results.ts');
  const { openSource } = await import('./transfer/source.ts');

  const store = await openGroups(place);
  if (!place.deployment && !place.isEmbedded && !values['dry-run'])
    await (await import('./transfer/clock.ts')).checkClock();
  const input = await describeRepeatable(place, file, values);
  const results = await Results.open(resultsFile, input, { force: values.force, isRepeatable: true });
  const planned = values['dry-run'] ? new PlannedGroups() : undefined;
  const report = new ProgressReport('groups');
  const sum = () => Object.values(results.counts).reduce((total, count) => total + count, 0);
  try {
    const isComplete = await importGroups(readGroupRows(openSource(file, { signal }).chunks, { encoding, delimiter }), {
      ...{ store, planned, results, signal, keepIds: values['keep-ids'], update: values.update },
      pace: new Pace({ maxLimit: MAX_GROUP_BATCHES, isBusy: store.isBusy, signal }),
      onProgress: () => report.update({ count: sum() }),
    });
    report.end();
    const seconds = performance.now() / 1000;
    console.log(
      `${sum().toLocaleString('en')} groups in ${formatDuration(seconds)}: ${describeCounts(results.counts)}. Results: ${resultsFile}`,
    );
    if (!isComplete) console.error(`Stopped. ${describeRest(input, results, values)}.`);
    const { invalid } = results.counts;
    process.exitCode = isComplete ? Math.min(1, invalid) : 130;
    const close: ImportedGroups['close'] = (ending) =>
      results.close({ isComplete: ending.isComplete || values['dry-run'] });
    return { isComplete, invalid, planned, close };
  } catch (error) {
    report.end();
    results.close({ isComplete: values['dry-run'] });
    throw error instanceof ColumnError ? new Error(`${file}: ${error.message}`) : error;
  }
}

async function openPreset(name: string, values: Settings['values'], { map, ignore }: Settings['rowOptions']) {
  const { choosePreset } = await import('../transfer/choose-preset.ts');
  const { ownFields } = await import('../../lib/users/fields/values.ts');
  const preset = choosePreset(name, { map, ignore, ownFields, keepTimes: values['keep-times'] });
  console.error(preset.mapping);
  return preset;
}

/** Throws for a file that is not from an export. */
async function openDeletions(file: string) {
  const { deleteUsers, readDeletions } = await import('./transfer/deletions.ts');
  const ids = readDeletions(file);
  return {
    async apply(pace: Pace, signal: AbortSignal): Promise<void> {
      const deleted = await deleteUsers(ids, pace, signal);
      console.error(`${deleted.toLocaleString('en')} of ${ids.length.toLocaleString('en')} users in ${file} deleted`);
    },
  };
}

async function* noteIds(rows: AsyncGenerator<Row>, warn: (text: string) => void): AsyncGenerator<Row> {
  let isNoted = false;
  for await (const row of rows) {
    if (!isNoted && !row.issues && row.kept.id !== undefined) {
      isNoted = true;
      warn('The ids in the file only exclude erased people: new users get new ids. --table --keep-ids keeps the ids.');
    }
    yield row;
  }
}

/** Runs `prepare` after the first row is read: wrong columns must stop the import before it deletes users. */
async function* afterFirst<Row>(rows: AsyncGenerator<Row>, prepare: () => Promise<void>): AsyncGenerator<Row> {
  const first = await rows.next();
  await prepare();
  if (!first.done) yield first.value;
  yield* rows;
}

function markSent(target: Target, results: Results): Target {
  return {
    ...target,
    write(rows) {
      results.markSent();
      return target.write(rows);
    },
  };
}

/** Pipes and dry runs start again. */
function describeRest(input: string | undefined, { doneUpTo }: Results, { force }: Settings['values']): string {
  const done = `Lines up to ${doneUpTo} have results`;
  return input === undefined
    ? done
    : `${done}. The same command${force ? ' without --force' : ''} continues after them`;
}

/** Undefined if no later run can continue the import: for pipes and dry runs. */
async function describeRepeatable(place: Place, file: string, values: Settings['values']): Promise<string | undefined> {
  const isRepeatable = !values['dry-run'] && file !== '-' && statSync(file).isFile();
  return isRepeatable ? describeInput(file, values, await findTableId(place)) : undefined;
}

/**
 * Returns the same text for two runs with the same unchanged file, options and table, so the second continues the first.
 */
function describeInput(file: string, { token, force, ...values }: Settings['values'], tableId?: string): string {
  const { size, mtimeMs } = statSync(file);
  return formatCanonicalJson({ file: resolve(file), size, mtimeMs, values, tableId });
}

/** Differs for tables of the same name, as in two accounts. APIs have no identity. */
async function findTableId(place: Place): Promise<string | undefined> {
  if (place.deployment) return undefined;
  const { DescribeTableCommand } = await import('@aws-sdk/client-dynamodb');
  const { TableName, table } = await import('../../lib/dynamodb/client.ts');
  const { Table } = await table.send(new DescribeTableCommand({ TableName }));
  return Table?.TableId;
}

/**
 * Returns true even if all users were deleted, because their records remain. The stream may then contain unprocessed
 * records.
 */
async function hasHadUsers(): Promise<boolean> {
  const { paginateScan } = await import('@aws-sdk/lib-dynamodb');
  const { TableName, table } = await import('../../lib/dynamodb/client.ts');
  const { userKey } = await import('../../lib/dynamodb/keys.ts');
  const query = {
    TableName,
    FilterExpression: 'begins_with(pk, :user)',
    ExpressionAttributeValues: { ':user': userKey('').pk },
  };
  for await (const { Count } of paginateScan({ client: table }, query)) if (Count) return true;
  return false;
}

async function openTarget(place: Place, values: Settings['values'], results: Results): Promise<Target> {
  if (place.deployment) {
    const { connect } = await import('./transfer/deployment.ts');
    const { openServiceTarget } = await import('../transfer/service-target.ts');
    const { ownFields } = await import('../../lib/users/fields/values.ts');
    // Rows are compared with the users.
    const fields = ownFields.map(({ name }) => name);
    return openServiceTarget(connect(place.deployment, { fields }), {
      ...{ update: values.update, by: values.by, despiteErasure: values['despite-erasure'] },
      ...{ importId: results.importId, startedAt: results.startedAt },
    });
  }
  const { openTableTarget } = await import('./transfer/table-target.ts');
  // Writes to a new database are several times as fast without a stream.
  if (place.isEmbedded && !(await hasHadUsers())) await disableStream(LOCAL_TABLE);
  const target = await openTableTarget({
    ...{ keepIds: values['keep-ids'], keepTimes: values['keep-times'] },
    ...{ update: values.update, by: values.by, despiteErasure: values['despite-erasure'] },
    ...{ startedAt: results.startedAt, importId: results.importId },
  });
  if (!place.isEmbedded) {
    const { checkClock } = await import('./transfer/clock.ts');
    await checkClock();
    return target;
  }
  const { omitTransactionTokens } = await import('../local/database/transaction-tokens.ts');
  const { table } = await import('../../lib/dynamodb/client.ts');
  omitTransactionTokens(table);
  // The embedded database is single-threaded.
  return { ...target, maxParallel: 4 };
}
