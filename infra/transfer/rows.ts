import * as z from 'zod/mini';
import { isUserId, normalizeId, postKey, userKey } from '../../lib/dynamodb/keys.ts';
import { invalidInput, ServiceError } from '../../lib/errors.ts';
import { findJsonIssues } from '../../lib/input/exact-json.ts';
import { parseInput, shorten } from '../../lib/input/parsing.ts';
import { idInput } from '../../lib/input/schemas.ts';
import { parseUuidTime } from '../../lib/input/uuidv7.ts';
import { createPostInput } from '../../lib/posts/input.ts';
import { valueSchema } from '../../lib/users/fields/value-schema.ts';
import { changeValues, membershipField, ownFields, pickOwnFields } from '../../lib/users/fields/values.ts';
import { createUserInput, patchShape } from '../../lib/users/input.ts';
import { findFieldType, parseCell } from './cells.ts';
import { fitCells, nameColumns, readTable, type TableOptions } from './csv.ts';
import { type GroupReference, referencesSchema } from './group-references.ts';
import { hasJsonElements, readJsonElements } from './json-elements.ts';
import { type Line, readLines } from './lines.ts';
import { type LocalOptions, normalizeLocal } from './local-values.ts';
import { findRoots, type PresetSources, readSource } from './preset-sources.ts';

/** An issue of a row. `column` is missing if the whole row could not be read. */
export type RowIssue = { column?: string; message: string };

export type UserInput = z.infer<typeof createUserInput>;
export type PostInput = z.infer<typeof postInput>;

/**
 * A user in a file. `size`: characters, with the names of fields. `kept`: values that only an import directly into a
 * table can store. `memberships`: groups as the file names them, which `resolveMemberships` replaces by ids.
 */
export type UserRow = {
  line: number;
  size: number;
  user: UserInput;
  kept: { id?: string; createdAt?: string; updatedAt?: string; version?: number };
  posts: PostInput[];
  memberships?: { column: string; references: readonly GroupReference[] };
  issues?: undefined;
};
export type Row = UserRow | { line: number; size: number; issues: RowIssue[] };

export type RowOptions = {
  /** Field of each CSV column, by position. An empty text skips the column. If unset, columns are matched by name. */
  fields?: readonly string[];
  /**
   * Field by name of a CSV column or JSON member. The name `#3` means the third column. `First+Last` joins two with a
   * space.
   */
  map?: ReadonlyMap<string, string>;
  /** Columns or members to skip. `*` skips all that are not the name of a field. */
  ignore?: ReadonlySet<string>;
  /** Locates the values in a file of another tool. Replaces `fields`, `map` and `ignore`. */
  preset?: PresetSources | undefined;
  keepIds?: boolean;
  keepTimes?: boolean;
  /** Describes columns with times and versions, which the target does not store. A file with such columns is rejected. */
  timesUnstored?: ((columns: string[]) => string) | undefined;
  /** If set, CSV files may contain local formats: dates such as 24.12.1980, and yes or no in several languages. */
  local?: LocalOptions;
  /** Texts for fields without a value in the row, by field. */
  defaults?: ReadonlyMap<string, string>;
};

/** Fields for CSV columns that contain only the first or the last name. The import joins them to `name`. */
export const NAME_PARTS = ['name.first', 'name.last'];

/** Encoding and delimiter, for files where they are not detected correctly. */
export type TextOptions = TableOptions & { encoding?: string | undefined };

/** The columns of a file cannot be mapped to fields. `subject` selects the advice. */
export class ColumnError extends Error {
  readonly subject: 'columns' | 'header' | 'ids';

  constructor(message: string, subject: ColumnError['subject'] = 'columns') {
    super(message);
    this.subject = subject;
  }
}

/** Maximum bytes of a line, and characters of a JSON element. Enough for a user with ten thousand posts. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

const time = valueSchema({ type: 'dateTime' }) as z.ZodMiniType<string>; // Times are stored as text.
/** GraphQL's Int has 32 bits. Lower, so that later changes have versions, too. */
const MAX_VERSION = 2_147_000_000;
const version = z
  .int()
  .check(z.minimum(1, 'must be at least 1'), z.maximum(MAX_VERSION, `must be at most ${MAX_VERSION}`));
const kept = {
  id: z.optional(idInput.check(z.refine(isUserId, 'must be a UUID'))),
  createdAt: z.optional(time),
  updatedAt: z.optional(time),
  version: z.optional(version),
};
const postInput = z.strictObject({
  id: z.optional(idInput),
  title: createPostInput.shape.title,
  publishedAt: z.nullish(time),
  createdAt: z.optional(time),
  updatedAt: z.optional(time),
  version: z.optional(version),
});
const posts = z.optional(z.array(postInput));
const memberships: Record<string, z.ZodMiniType> = membershipField
  ? { [membershipField.name]: z.nullish(referencesSchema) }
  : {};
const newUser = z.extend(createUserInput, { ...kept, posts, ...memberships });
const { name, email } = createUserInput.shape;
/** Schema of users with ids of a former export. Requires no own fields, because stored users may lack fields that became required later. */
const storedUser = z.strictObject({ name, email, ...patchShape, ...kept, posts, ...memberships });

/** Null clears these fields of a stored user. In other members, null means that the value is missing. */
const CLEARABLE_FIELDS = new Set(
  ownFields.filter(({ required, subject }) => !required && !subject).map(({ name }) => name),
);

const CELL_FIELDS = ['name', 'email', ...ownFields.map(({ name }) => name), ...Object.keys(kept)];
const FIELDS = [...CELL_FIELDS, 'posts'];
/** Values that only an import with --keep-times stores. */
export const TIME_FIELDS = ['createdAt', 'updatedAt', 'version'];

type Reading = RowOptions & { ids: IdCheck };

/** Reads the users of a CSV or JSON file. Throws ColumnError if columns cannot be mapped to fields. */
export async function* readRows(
  chunks: AsyncIterable<Uint8Array>,
  rowOptions: RowOptions = {},
  { encoding, ...table }: TextOptions = {},
): AsyncGenerator<Row> {
  const options: Reading = { ...rowOptions, ids: new IdCheck(rowOptions) };
  checkFields([...(options.defaults?.keys() ?? [])], CELL_FIELDS);
  const { format, lines } = await findFormat(chunks, encoding);
  // An empty file has no format and yields no rows. An NDJSON export of no users is such a file.
  if (!format) return;
  if (options.preset) yield* readPresetRows(format, lines, options, options.preset, table);
  else if (format === 'NDJSON') yield* readJsonRows(lines, options);
  else yield* readCsvRows(lines, options, table);
}

type Lines = AsyncGenerator<Line>;

/**
 * Detects the format from the start. Returns it with all lines. `format` is undefined for an empty file. The elements of
 * a JSON list are lines of NDJSON.
 */
export async function findFormat(
  chunks: AsyncIterable<Uint8Array>,
  encoding?: string,
): Promise<{ format: 'CSV' | 'NDJSON' | undefined; lines: Lines }> {
  const [hasElements, all] = await hasJsonElements(chunks, encoding);
  if (hasElements) return { format: 'NDJSON', lines: readJsonElements(all, { maxLength: MAX_LINE_BYTES, encoding }) };
  const lines = readLines(all, { maxBytes: MAX_LINE_BYTES, encoding });
  const first = await lines.next();
  if (first.done) return { format: undefined, lines };
  async function* fromFirst() {
    yield first.value as Line; // Checked above: not the end.
    yield* lines;
  }
  return { format: isJsonLine(first.value) ? 'NDJSON' : 'CSV', lines: fromFirst() };
}

const isJsonLine = (line: Line): boolean => /^\s*\{/.test(line.text ?? line.excerpt);

async function* readJsonRows(lines: Lines, options: Reading): AsyncGenerator<Row> {
  const { ignore = new Set(), keepIds = false } = options;
  const { map, joined } = splitJoins(options.map);
  checkFields(map.values(), FIELDS);
  const missing = new Set([...map.keys(), ...ignore].filter((name) => name !== '*'));
  const isIgnored = (name: string) => ignore.has(name) || (ignore.has('*') && !FIELDS.includes(map.get(name) ?? name));
  yield* holdBack(parseRows(), missing);

  async function* parseRows(): AsyncGenerator<Row> {
    for await (const { number: line, text, issue } of lines) {
      if (issue !== undefined) yield { line, size: 0, issues: [{ message: issue }] };
      else if (text.trim() !== '') yield parseJsonRow(line, text);
    }
  }

  function parseJsonRow(line: number, text: string): Row {
    const size = text.length;
    const { value, issue } = parseObject(text);
    if (issue !== undefined) return { line, size, issues: [{ message: issue }] };
    const postTimes = listPostTimes(value);
    for (const name of missing) if (Object.hasOwn(value, name) || postTimes.includes(name)) missing.delete(name);
    for (const jsonIssue of findJsonIssues(text))
      if (!isIgnored(String(jsonIssue.path[0]))) return { line, size, issues: [toRowIssue(jsonIssue)] };
    const members = Object.entries(value)
      .filter(([name]) => !isIgnored(name))
      .map(([name, value]): NamedValue => [name, map.get(name) ?? name, value])
      .filter(([, field, value]) => value !== null || (keepIds && CLEARABLE_FIELDS.has(field)));
    checkTimesStored(
      [...members, ...postTimes.filter((name) => !ignore.has(name)).map((name) => [name, name] as const)],
      options,
    );
    const twice = findRepeated(members.map(([name, field]) => (joined.has(field) && map.has(name) ? '' : field)));
    const clash = twice || members.find(([name, field]) => joined.has(field) && !map.has(name))?.[1];
    if (clash) {
      const same = members.filter(([, field]) => field === clash).map(([name]) => name);
      const message = `Two members map to the field ${shorten(clash, MAX_NAME_BYTES)}: ${listNames(same)}`;
      return { line, size, issues: [{ message }] };
    }
    const values = [...joinMembers(members, map, joined)];
    const issues = addDefaults(values, options);
    return issues.length > 0 ? { line, size, issues } : parseUser({ line, size }, values, options);
  }
}

/** Joins texts in the order of `map`. A member of another type is joined as JSON. */
function* joinMembers(
  members: readonly NamedValue[],
  map: ReadonlyMap<string, string>,
  joined: ReadonlySet<string>,
): Generator<NamedValue> {
  for (const field of joined) {
    const names = [...map.keys()].filter((name) => map.get(name) === field);
    const parts = names.flatMap((name) => members.filter((member) => member[0] === name));
    const texts = parts.map(([, , value]) => (typeof value === 'string' ? value : JSON.stringify(value)));
    const text = joinName(texts);
    if (text !== '') yield [names.join('+'), field, text];
  }
  yield* members.filter(([, field]) => !joined.has(field));
}

async function* readPresetRows(
  format: 'CSV' | 'NDJSON',
  lines: Lines,
  options: Reading,
  { preset, sources, named }: PresetSources,
  table: TableOptions,
): AsyncGenerator<Row> {
  checkFields(sources.keys(), CELL_FIELDS);
  const roots = new Set([...sources.values()].flatMap(findRoots));
  const missing = new Set(named);
  const records = format === 'CSV' ? readCsvRecords(lines, table, preset.columns) : readJsonRecords(lines, roots);
  yield* holdBack(parseRows(), missing);

  async function* parseRows(): AsyncGenerator<Row> {
    for await (const { line, size, members, issues = [] } of records) {
      const values: NamedValue[] = [];
      for (const [field, source] of members ? sources : []) {
        const found = readSource(members ?? {}, source);
        if (!found) continue;
        missing.delete(found.path);
        issues.push(...takeValue(values, found.path, field, found.value));
      }
      if (members && issues.length === 0) issues.push(...addDefaults(values, options));
      yield issues.length > 0 ? { line, size, issues } : parseUser({ line, size }, values, options);
    }
  }
}

/** Other tools write numbers and booleans as texts, and single values as lists. */
function takeValue(values: NamedValue[], path: string, field: string, value: unknown): RowIssue[] {
  const isJson = findFieldType(field) === 'json';
  const [single, ...others] = Array.isArray(value) && !isJson ? value : [value];
  if (others.length > 0) values.push([path, field, value]);
  else if (typeof single === 'string') return takeCell(values, path, field, single);
  else if (typeof single === 'number' && findFieldType(field) === 'string') values.push([path, field, String(single)]);
  else if (single !== undefined && single !== null) values.push([path, field, single]);
  return [];
}

export type MemberRecord = { line: number; size: number; members?: Record<string, unknown>; issues?: RowIssue[] };

/** Reads the members of each row, as the file names them. `names`: members of JSON that must be exact. */
export async function* readRecords(
  chunks: AsyncIterable<Uint8Array>,
  names: ReadonlySet<string>,
  { encoding, ...table }: TextOptions = {},
): AsyncGenerator<MemberRecord> {
  const { format, lines } = await findFormat(chunks, encoding);
  if (format === 'CSV') yield* readCsvRecords(lines, table, undefined);
  else if (format) yield* readJsonRecords(lines, names);
}

async function* readJsonRecords(lines: Lines, roots: ReadonlySet<string>): AsyncGenerator<MemberRecord> {
  for await (const { number: line, text, issue } of lines) {
    if (text?.trim() === '') continue;
    const size = text?.length ?? 0;
    const parsed = issue === undefined ? parseObject(text) : { issue };
    if (parsed.issue !== undefined) yield { line, size, issues: [{ message: parsed.issue }] };
    else {
      const issues = [...findJsonIssues(text ?? '')]
        .filter(({ path }) => roots.has(String(path[0])))
        .map((each) => toRowIssue(each));
      yield issues.length > 0 ? { line, size, issues } : { line, size, members: { ...parsed.value } };
    }
  }
}

async function* readCsvRecords(
  lines: Lines,
  table: TableOptions,
  presetColumns: readonly string[] | undefined,
): AsyncGenerator<MemberRecord> {
  const { columns, records } = await readTable(lines, { ...table, header: !presetColumns });
  if (!presetColumns) checkHeader(columns);
  const names = presetColumns ?? nameColumns(columns);
  for await (const { line, cells = [], issue } of records) {
    const size = cells.reduce((sum, cell) => sum + cell.length, 0);
    const fitting = fitCells(cells, names.length);
    const message = issue ?? `The row has ${cells.length} cells, the first line ${names.length}`;
    if (issue === undefined && fitting)
      yield { line, size, members: Object.fromEntries(names.map((name, at) => [name, fitting[at]])) };
    else yield { line, size, issues: [{ message }] };
  }
}

const MAX_HELD_ROWS = 10_000;
const MAX_HELD_CHARACTERS = 8_000_000;

/**
 * Holds rows back until each member in `missing` was seen, so that a misspelled name stops the import before its first
 * row.
 */
async function* holdBack(rows: AsyncIterable<Row>, missing: ReadonlySet<string>): AsyncGenerator<Row> {
  const held: Row[] = [];
  let characters = 0;
  for await (const row of rows) {
    held.push(row);
    characters += row.size;
    if (missing.size === 0) yield* held.splice(0);
    else if (held.length === MAX_HELD_ROWS || characters > MAX_HELD_CHARACTERS)
      throw new ColumnError(
        `None of the first ${held.length.toLocaleString('en')} rows has a member named ${listNames([...missing])}`,
      );
  }
  if (missing.size > 0) throw new ColumnError(`No row has a member named ${listNames([...missing])}`);
}

function parseObject(text: string): { value: object; issue?: undefined } | { value?: undefined; issue: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value };
    return { issue: 'The line must be a JSON object' };
  } catch (error) {
    return { issue: `The line is not JSON: ${shorten((error as Error).message, MAX_MESSAGE_BYTES)}` };
  }
}

async function* readCsvRows(lines: Lines, options: Reading, table: TableOptions): AsyncGenerator<Row> {
  const { columns, records } = await readTable(lines, table);
  checkHeader(columns);
  const { fields, order = [] } = options.fields ? { fields: options.fields } : mapColumns(columns, options);
  if (options.fields && fields.length !== columns.length)
    throw new ColumnError(`The file has ${columns.length} columns now, and had ${fields.length}. Choose it again`);
  const names = nameColumns(columns);
  const sources = findSources(fields, order);
  for await (const { line, cells = [], issue } of records) {
    // Requests repeat the names of the fields for each row.
    const size = cells.reduce((sum, cell, at) => sum + cell.length + (fields[at] ?? '').length, 0);
    const fitting = fitCells(cells, fields.length);
    if (issue !== undefined) yield { line, size, issues: [{ message: issue }] };
    else if (!fitting)
      yield {
        line,
        size,
        issues: [{ message: `The row has ${cells.length} cells, the first line ${fields.length}` }],
      };
    else {
      const { values, issues } = parseCells(fitting, sources, names, options);
      yield issues.length > 0 ? { line, size, issues } : parseUser({ line, size }, values, options);
    }
  }
}

function checkHeader(columns: readonly string[]): void {
  const address = columns.find((column) => ADDRESS.test(column));
  if (address === undefined) return;
  const message = 'The first line must name the columns, and contains an address';
  throw new ColumnError(`${message}: ${shorten(address, MAX_NAME_BYTES)}`, 'header');
}

const ADDRESS = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Positions of the cells of each field. Several are joined in the order of NAME_PARTS, or in `order`. */
function findSources(fields: readonly string[], order: readonly number[]): Map<string, number[]> {
  const sources = new Map<string, number[]>();
  const rank = (at: number) => NAME_PARTS.indexOf(fields[at] ?? '') + order.indexOf(at);
  for (const [at, column] of fields.entries()) {
    const field = NAME_PARTS.includes(column) ? 'name' : column;
    if (field)
      sources.set(
        field,
        [...(sources.get(field) ?? []), at].toSorted((one, other) => rank(one) - rank(other)),
      );
  }
  return sources;
}

/** Converts the cells of a record to values. Skips empty cells. */
function parseCells(
  cells: readonly string[],
  sources: ReadonlyMap<string, readonly number[]>,
  names: readonly string[],
  options: RowOptions,
) {
  const { local } = options;
  const values: NamedValue[] = [];
  const issues: RowIssue[] = [];
  for (const [field, places] of sources) {
    const texts = places.map((at) => cells[at] ?? '');
    const text = places.length > 1 ? joinName(texts) : (texts[0] ?? '');
    const column = names[places[0] ?? 0] ?? field;
    const localText = local ? normalizeLocal(findFieldType(field), text, local) : text;
    issues.push(...takeCell(values, column, field, localText));
  }
  return { values, issues: issues.length > 0 ? issues : addDefaults(values, options) };
}

/** Adds the value of a text, unless it is empty. Returns why it cannot be read. */
function takeCell(values: NamedValue[], column: string, field: string, text: string): RowIssue[] {
  try {
    const value = parseCell(field, text);
    if (value !== undefined) values.push([column, field, value]);
    return [];
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return (error.issues ?? []).map((issue) => toRowIssue(issue, new Map([[field, column]])));
  }
}

function addDefaults(values: NamedValue[], { defaults = new Map(), local }: RowOptions): RowIssue[] {
  const missing = [...defaults].filter(([field]) => !values.some(([, taken]) => taken === field));
  return missing.flatMap(([field, text]) =>
    takeCell(values, field, field, local ? normalizeLocal(findFieldType(field), text, local) : text),
  );
}

export const joinName = (parts: readonly string[]): string =>
  parts
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ');

/**
 * Returns the field of each column, empty for a column to skip. Leaves out unnamed columns at the end. `order`: columns
 * in the order of `map`. Throws a ColumnError with all columns that cannot be mapped.
 */
function mapColumns(allColumns: readonly string[], options: RowOptions): { fields: string[]; order: number[] } {
  const { ignore = new Set<string>(), defaults = new Map<string, string>() } = options;
  const { map, joined } = splitJoins(options.map, allColumns);
  checkFields(map.values(), CELL_FIELDS);
  const used = new Set(['*']);
  const isNamed = (column: string, at: number): boolean =>
    column !== '' || ignore.has('*') || ignore.has(`#${at + 1}`) || map.has(`#${at + 1}`);
  const isUnnamed = allColumns.join('') === '';
  const columns = isUnnamed ? allColumns : allColumns.slice(0, allColumns.findLastIndex(isNamed) + 1);
  const names = nameColumns(columns);
  const keys: (string | undefined)[] = [];
  const fields = columns.map((column, at): string | undefined => {
    // A position such as #3 takes precedence over the column's name.
    const name = [`#${at + 1}`, column].find((name) => ignore.has(name) || map.has(name));
    keys.push(name);
    if (name !== undefined) {
      used.add(name);
      return ignore.has(name) ? '' : map.get(name);
    }
    const field = CELL_FIELDS.find((field) => field.toLowerCase() === column.toLowerCase());
    return field ?? (ignore.has('*') ? '' : undefined);
  });
  const unused = [...map.keys(), ...ignore].filter((name) => !used.has(name));
  const renamed = unused.filter((name) => columns.includes(name));
  if (renamed.length > 0) throw new ColumnError(`The column ${listNames(renamed)} is also named by its position`);
  if (unused.length > 0) throw new ColumnError(`No column is named ${listNames(unused)}`);
  const unclear = names.filter((_, at) => fields[at] === undefined);
  if (unclear.length > 0)
    throw new ColumnError(`No field is named ${listNames(unclear)}. Fields are ${CELL_FIELDS.join(', ')}`);
  checkTimesStored(
    names.map((name, at) => [name, fields[at] ?? '']),
    options,
  );
  const missing = ['name', 'email'].find((field) => !fields.includes(field) && !defaults.has(field));
  if (missing) throw new ColumnError(`No column is named ${missing}`);
  // Columns of a join may share a field. Another column with the name of the field may not.
  const twice = findRepeated(fields.map((field, at) => (joined.has(field ?? '') && keys[at] ? '' : field)));
  const clash = twice ?? [...joined].find((field) => fields.some((each, at) => each === field && !keys[at]));
  if (clash) {
    const same = names.filter((_, at) => fields[at] === clash);
    throw new ColumnError(`Two columns map to the field ${shorten(clash, MAX_NAME_BYTES)}: ${listNames(same)}`);
  }
  return { fields: fields.map((field) => field ?? ''), order: [...map.keys()].map((name) => keys.indexOf(name)) };
}

/** Splits names such as `First+Last`, unless a column has this name. `joined`: fields of several columns. */
function splitJoins(map: ReadonlyMap<string, string> = new Map(), columns: readonly string[] = []) {
  const split = new Map<string, string>();
  const joined = new Set<string>();
  for (const [name, field] of map) {
    const parts = columns.includes(name) || !/.\+./.test(name) ? [name] : name.split('+').filter(Boolean);
    if (parts.length > 1) joined.add(field);
    if (joined.has(field) && [...split.values()].includes(field))
      throw new ColumnError(`The field ${shorten(field, MAX_NAME_BYTES)} is mapped twice`);
    for (const part of parts) {
      if (split.has(part)) throw new ColumnError(`The column ${listNames([part])} is named twice`);
      split.set(part, field);
    }
  }
  return { map: split, joined };
}

function checkFields(names: Iterable<string>, fields: readonly string[]): void {
  const unknown = [...names].filter((field) => !fields.includes(field));
  if (unknown.length > 0)
    throw new ColumnError(`No field is named ${listNames(unknown)}. Fields are ${fields.join(', ')}`);
}

/** Throws if the target would drop a column. */
function checkTimesStored(
  columns: readonly (readonly [name: string, field: string, ...unknown[]])[],
  { timesUnstored }: RowOptions,
): void {
  if (timesUnstored === undefined) return;
  const names = new Set(columns.filter(([, field]) => TIME_FIELDS.includes(field)).map(([name]) => name));
  if (names.size === 0) return;
  throw new Error(timesUnstored([...names]));
}

function listPostTimes(user: object): string[] {
  const { posts } = user as { posts?: unknown }; // An object from JSON may have any members.
  if (!Array.isArray(posts)) return [];
  return TIME_FIELDS.filter((name) => posts.some((post) => Object.hasOwn(Object(post), name)));
}

function findRepeated(fields: readonly (string | undefined)[]): string | undefined {
  const seen = new Set<string>();
  return fields.find((field) => field && (seen.has(field) || !seen.add(field)));
}

const MAX_NAME_BYTES = 40;
const MAX_NAMES = 5;

function listNames(names: readonly string[]): string {
  const listed = names.slice(0, MAX_NAMES).map((name) => JSON.stringify(shorten(name, MAX_NAME_BYTES)));
  const more = names.length - listed.length;
  return more > 0 ? `${listed.join(', ')} and ${more} more` : listed.join(', ');
}

type NamedValue = [column: string, field: string, value: unknown];

export const NO_ADDRESS = 'is required: the row has no email address';

function parseUser({ line, size }: { line: number; size: number }, values: NamedValue[], options: Reading): Row {
  const { keepIds = false, keepTimes = false, ids } = options;
  try {
    const input = Object.fromEntries(values.map(([, field, value]) => [field, value]));
    if (String(input.email ?? '').trim() === '')
      return { line, size, issues: [{ column: 'email', message: NO_ADDRESS }] };
    ids.check(input.id);
    const {
      id,
      createdAt,
      updatedAt,
      version,
      posts = [],
      ...user
    } = parseInput(keepIds ? storedUser : newUser, input);
    if (keepIds) checkIds(id, posts);
    if (keepTimes) checkTimes({ createdAt, updatedAt, posts }, { keepIds });
    // Throws if all own fields together exceed the maximum size. The schema only checks each field.
    changeValues(undefined, pickOwnFields(user));
    const kept = Object.fromEntries(
      Object.entries({ id, createdAt, updatedAt, version }).filter(([, value]) => value !== undefined),
    );
    return separateMemberships({ line, size, user, kept, posts }, values);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const columns = new Map(values.map(([column, field]) => [field, column]));
    return { line, size, issues: (error.issues ?? []).map((issue) => toRowIssue(issue, columns)) };
  }
}

/** Moves memberships out of `user`, for `resolveMemberships`. Keeps an empty list in place. */
function separateMemberships(row: UserRow, values: readonly NamedValue[]): UserRow {
  const field = membershipField?.name;
  const references = new Map<string, unknown>(Object.entries(row.user)).get(field ?? '');
  if (field === undefined || !Array.isArray(references) || references.length === 0) return row;
  const others = Object.entries(row.user).filter(([name]) => name !== field);
  const user = Object.fromEntries(others) as UserInput; // Lacks only an own field.
  const column = values.find(([, name]) => name === field)?.[0] ?? field;
  return { ...row, user, memberships: { column, references } };
}

const DAY_MS = 24 * 3_600_000;

/**
 * True for ids that a service has made. The page index takes users in the order of the times in their ids, so it would
 * never index others.
 */
export const isMadeId = (id: string): boolean =>
  isUserId(id) && id[14] === '7' && parseUuidTime(id) < Date.now() + DAY_MS;

const FOREIGN_ID = 'must be from an export: a UUIDv7 with a time in the past';

/** Rejects ids of another service, unless ids are kept. */
class IdCheck {
  readonly #keepIds: boolean;
  #isFirst = true;

  constructor({ keepIds = false }: RowOptions) {
    this.#keepIds = keepIds;
  }

  /** Throws ColumnError for the first id, and BAD_USER_INPUT for others. */
  check(id: unknown): void {
    if (id === undefined || this.#keepIds) return;
    const isForeign = !isMadeId(normalizeId(String(id)));
    if (isForeign && this.#isFirst)
      throw new ColumnError(`The ids are from another service: ${shorten(String(id), MAX_NAME_BYTES)}`, 'ids');
    this.#isFirst = false;
    if (isForeign) throw invalidInput(['id'], FOREIGN_ID);
  }
}

function checkIds(id: string | undefined, posts: PostInput[]): void {
  if (id === undefined) throw invalidInput(['id'], 'is required');
  if (!isMadeId(id)) throw invalidInput(['id'], FOREIGN_ID);
  for (const [at, post] of posts.entries())
    if (post.id !== undefined && postKey(post.id)?.pk !== userKey(id).pk)
      throw invalidInput(['posts', at, 'id'], 'must be the id of a post of this user');
}

/** The clock of the service that wrote the file may be ahead. */
const MAX_CLOCK_ERROR_MS = 60_000;

type Times = { createdAt?: string | undefined; updatedAt?: string | undefined };

/** Ids are UUIDv7 of `createdAt`, unless `keepIds` is set. Their time starts in 1970. */
function checkTimes({ posts, ...user }: Times & { posts: PostInput[] }, { keepIds }: { keepIds: boolean }): void {
  const { createdAt } = user;
  if (!keepIds && createdAt === undefined) throw invalidInput(['createdAt'], 'is required by --keep-times');
  if (!keepIds && Date.parse(createdAt ?? '') < 0) throw invalidInput(['createdAt'], 'must be in 1970 or later');
  checkPast(user, []);
  for (const [at, post] of posts.entries()) checkPast(post, ['posts', at]);
}

function checkPast(times: Times, path: (string | number)[]): void {
  for (const name of ['createdAt', 'updatedAt'] as const)
    if (Date.parse(times[name] ?? '') > Date.now() + MAX_CLOCK_ERROR_MS)
      throw invalidInput([...path, name], 'must not be in the future');
}

const MAX_COLUMN_BYTES = 100;
const MAX_MESSAGE_BYTES = 300;

/** Names the column as in the file, if `columns` contains it. Truncates column and message, which may contain long values of the file. */
export function toRowIssue(
  { path, message }: { path: readonly PropertyKey[]; message: string },
  columns: ReadonlyMap<string, string> = new Map(),
): RowIssue {
  const [field, ...rest] = path.map(String);
  const short = shorten(message, MAX_MESSAGE_BYTES);
  if (field === undefined) return { message: short };
  return { column: shorten([columns.get(field) ?? field, ...rest].join('.'), MAX_COLUMN_BYTES), message: short };
}
