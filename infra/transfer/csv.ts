import Papa from 'papaparse';
import { shorten } from '../../lib/input/parsing.ts';
import { unprotectCell } from './csv-format.ts';
import type { Line } from './lines.ts';

/** `line`: number of its first line. `issue`: why it could not be parsed. */
type CsvRecord =
  | { line: number; cells: string[]; issue?: undefined }
  | { line: number; cells?: undefined; issue: string };

/** Maximum characters of a record. A missing quote would otherwise include all remaining lines. */
const MAX_RECORD_LENGTH = 256 * 1024;

const MAX_COLUMNS = 1_000;

export type TableOptions = {
  /** Separates cells. Detected if unset. */
  delimiter?: string | undefined;
  /** False if the first line has no column names. All names are empty then. */
  header?: boolean | undefined;
};

/** Throws if the first record is missing. */
export async function readTable(
  lines: AsyncIterator<Line>,
  { delimiter, header: hasHeader = true }: TableOptions = {},
): Promise<{ columns: string[]; records: AsyncGenerator<CsvRecord> }> {
  const records = readRecords(lines, delimiter);
  const header = await records.next();
  if (header.done || header.value.issue !== undefined)
    throw new Error(`The first line must name the columns. ${header.value?.issue ?? ''}`.trim());
  const { cells } = header.value;
  if (cells.length > MAX_COLUMNS)
    throw new Error(`The first line names ${cells.length} columns, which is more than ${MAX_COLUMNS}`);
  if (hasHeader) return { columns: cells.map((cell) => cell.trim().replaceAll(/\s+/g, ' ')), records };
  async function* all() {
    yield header.value as CsvRecord; // Checked above: not the end.
    yield* records;
  }
  return { columns: cells.map(() => ''), records: all() };
}

/** Adds empty cells that are missing at the end, and removes those beyond `count`. Undefined if these have values. */
export function fitCells(cells: readonly string[], count: number): string[] | undefined {
  if (!cells.slice(count).every(isEmpty)) return undefined;
  return Array.from({ length: count }, (_, at) => cells[at] ?? '');
}

const MAX_NAME_BYTES = 60;

/** Replaces empty names by the position, and adds it to repeated ones. `--ignore` and `--map` accept a position such as #3. */
export function nameColumns(columns: readonly string[]): string[] {
  const names = columns.map((column) => shorten(column, MAX_NAME_BYTES));
  const repeated = new Set(names.filter((name, at) => names.indexOf(name) < at));
  return names.map((name, at) => {
    if (name === '') return `#${at + 1}`;
    return repeated.has(name) ? `${name} (column ${at + 1})` : name;
  });
}

/** Excel reads the delimiter from a first line such as `sep=;`. */
const DELIMITER_LINE = /^"?sep=([^"\w\s]|\t)"?[,;|\t]*$/i;

async function* readRecords(lines: AsyncIterator<Line>, delimiter: string | undefined): AsyncGenerator<CsvRecord> {
  const queue = new LineQueue(lines);
  const first = await queue.next();
  if (!first) return;
  const stated = DELIMITER_LINE.exec(first.text ?? '')?.[1];
  if (!stated) queue.putBack([first]);
  const parser = new RecordParser(delimiter ?? stated ?? (await findDelimiter(queue)));
  for (let line = await queue.next(); line; line = await queue.next()) {
    if (line.issue !== undefined) yield { line: line.number, issue: line.issue };
    else if (line.text !== '') {
      const record = await readRecord(line, parser, queue);
      if (record.cells?.every(isEmpty)) continue;
      yield record.cells ? { ...record, cells: record.cells.map(readCell) } : record;
    }
  }
}

/** Spreadsheets show such a formula as text, so that `0170` keeps its zero. */
const TEXT_FORMULA = /^="((?:[^"]|"")*)"$/;

function readCell(cell: string): string {
  const text = TEXT_FORMULA.exec(cell)?.[1];
  return text === undefined ? unprotectCell(cell) : text.replaceAll('""', '"');
}

const isEmpty = (cell: string): boolean => cell.trim() === '';

const DELIMITERS = [',', ';', '\t', '|'];
const SAMPLE_LINES = 100;

/** Returns the only delimiter that splits the first record. If several do, compares further records. */
async function findDelimiter(queue: LineQueue): Promise<string> {
  const header = await readSample(queue, 1);
  const [only, ...others] = await findCandidates(header);
  const candidates = only && others.length === 0 ? [only] : await findCandidates(await readSample(queue, SAMPLE_LINES));
  const [best = { delimiter: ',' }] = candidates.toSorted(
    (one, other) => other.matches - one.matches || other.columns - one.columns,
  );
  return best.delimiter;
}

async function readSample(queue: LineQueue, count: number): Promise<Line[]> {
  const sample: Line[] = [];
  let length = 0;
  while (sample.length < count && length < MAX_RECORD_LENGTH) {
    const line = await queue.next();
    if (!line) break;
    sample.push(line);
    length += line.text?.length ?? 0;
  }
  queue.putBack(sample);
  return sample;
}

type Candidate = { delimiter: string; columns: number; matches: number };

/** `matches`: further records with the same number of cells. */
async function findCandidates(sample: readonly Line[]): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const delimiter of DELIMITERS) {
    const queue = new LineQueue(toAsync(sample));
    const parser = new RecordParser(delimiter);
    const counts: number[] = [];
    for (let line = await queue.next(); line; line = await queue.next())
      if (line.text !== undefined) counts.push((await readRecord(line, parser, queue)).cells?.length ?? 0);
    const [columns = 0, ...others] = counts;
    const matches = others.filter((count) => count === columns).length;
    if (columns > 1) candidates.push({ delimiter, columns, matches });
  }
  return candidates;
}

async function* toAsync<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

const NEVER_CLOSED = 'A quote is opened and never closed';

type TextLine = Extract<Line, { issue?: undefined }>;

/** If a quote is never closed, returns an issue and puts the further lines back. */
async function readRecord(first: TextLine, parser: RecordParser, queue: LineQueue): Promise<CsvRecord> {
  const further: Line[] = [];
  let { text, end } = first;
  let result = parser.parse(text);
  while (result.isOpen && text.length <= MAX_RECORD_LENGTH) {
    const line = await queue.next();
    if (!line) break;
    further.push(line);
    if (line.issue !== undefined) break;
    text = `${text}${end}${line.text}`;
    end = line.end;
    if (!parser.staysOpen(line.text)) result = parser.parse(text);
  }
  const { cells, issue } = result;
  if (issue === undefined && (further.length === 0 || parser.hasAllColumns(cells))) {
    parser.columns ??= cells.length;
    return { line: first.number, cells };
  }
  queue.putBack(further);
  return { line: first.number, issue: further.length > 0 ? NEVER_CLOSED : (issue ?? NEVER_CLOSED) };
}

type Parsed = { cells: string[]; issue: string | undefined; isOpen: boolean };

class RecordParser {
  readonly #parser: Papa.Parser;
  columns: number | undefined;

  readonly #delimiter: string;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#parser = new Papa.Parser({ delimiter, newline: '\n', quoteChar: '"' });
  }

  parse(text: string): Parsed {
    const { data, errors }: Papa.ParseResult<string[]> = this.#parser.parse(text, 0, false);
    const isOpen = errors.length > 0 && errors.every(({ code }) => code === 'MissingQuotes');
    const issue = isOpen ? NEVER_CLOSED : 'A quote inside a quoted cell must be doubled';
    return { cells: data[0] ?? [], issue: errors.length > 0 ? issue : undefined, isOpen };
  }

  /**
   * Whether a quote that is open at the start of the line is also open at its end. Avoids parsing a long record again
   * for every line with a quote.
   */
  staysOpen(line: string): boolean {
    for (let at = 0; ; ) {
      const quote = line.indexOf('"', at);
      if (quote < 0) return true;
      at = quote + 1;
      if (line[at] === '"') at++;
      else {
        const next = line.indexOf(`${this.#delimiter}"`, at);
        if (next < 0) return false;
        at = next + this.#delimiter.length + 1;
      }
    }
  }

  hasAllColumns(cells: string[]): boolean {
    return this.columns === undefined || this.columns === cells.length;
  }
}

/** A stack contains lines that were put back, because `shift` of thousands of lines is slow. */
class LineQueue {
  readonly #lines: AsyncIterator<Line>;
  readonly #waiting: Line[] = [];

  constructor(lines: AsyncIterator<Line>) {
    this.#lines = lines;
  }

  async next(): Promise<Line | undefined> {
    return this.#waiting.pop() ?? (await this.#lines.next()).value;
  }

  putBack(lines: Line[]): void {
    for (const line of lines.toReversed()) this.#waiting.push(line);
  }
}
