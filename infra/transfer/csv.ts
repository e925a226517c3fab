import Papa from 'papaparse';
import type { Line } from './lines.ts';

/** A record of a CSV file (RFC 4180), by the number of its first line. `fault` tells why it has no cells. */
type CsvRecord =
  | { line: number; cells: string[]; fault?: undefined }
  | { line: number; cells?: undefined; fault: string };

/** A quoted cell may have line breaks, but if its quote is missing it would take in the rest of the file. */
const MAX_RECORD_LENGTH = 256 * 1024;

const DELIMITERS = [',', ';', '\t', '|'];

/** Reads the columns that the first line names, and the records after it. Throws an error of one sentence if it names none. */
export async function readTable(
  lines: AsyncIterator<Line>,
): Promise<{ columns: string[]; records: AsyncGenerator<CsvRecord> }> {
  const records = readRecords(lines);
  const header = await records.next();
  if (header.done || header.value.fault !== undefined)
    throw new Error(`The first line must name the columns. ${header.value?.fault ?? ''}`.trim());
  return { columns: header.value.cells.map((cell) => cell.trim()), records };
}

/** The delimiter is the one that the first line has most of. */
async function* readRecords(lines: AsyncIterator<Line>): AsyncGenerator<CsvRecord> {
  const queue = new LineQueue(lines);
  const header = await queue.next();
  if (!header) return;
  queue.putBack([header]);
  const parser = new RecordParser(findDelimiter(header));
  for (let line = await queue.next(); line; line = await queue.next()) {
    if (line.fault !== undefined) yield { line: line.number, fault: line.fault };
    else if (line.text !== '') yield await readRecord(line, parser, queue);
  }
}

function findDelimiter({ text = '' }: Line): string {
  const { meta } = Papa.parse(text, { preview: 1, delimitersToGuess: DELIMITERS });
  return meta.delimiter;
}

const NEVER_CLOSED = 'A quote is opened and never closed';

type TextLine = Extract<Line, { fault?: undefined }>;

/** Takes further lines while a quote is open. If they make no record, they are read again, as records by themselves. */
async function readRecord(first: TextLine, parser: RecordParser, queue: LineQueue): Promise<CsvRecord> {
  const further: Line[] = [];
  let text = first.text;
  let result = parser.parse(text);
  while (result.isOpen && text.length <= MAX_RECORD_LENGTH) {
    const line = await queue.next();
    if (!line) break;
    further.push(line);
    if (line.fault !== undefined) break;
    text = `${text}\n${line.text}`;
    if (!parser.staysOpen(line.text)) result = parser.parse(text);
  }
  const { cells, fault } = result;
  if (fault === undefined && (further.length === 0 || parser.hasAllColumns(cells))) {
    parser.columns ??= cells.length;
    return { line: first.number, cells };
  }
  queue.putBack(further);
  return { line: first.number, fault: further.length > 0 ? NEVER_CLOSED : (fault ?? NEVER_CLOSED) };
}

type Parsed = { cells: string[]; fault: string | undefined; isOpen: boolean };

/** Parses one record at a time. */
class RecordParser {
  readonly #parser: Papa.Parser;
  /** The number of columns is known from the first record on. */
  columns: number | undefined;

  readonly #delimiter: string;

  constructor(delimiter: string) {
    this.#delimiter = delimiter;
    this.#parser = new Papa.Parser({ delimiter, newline: '\n', quoteChar: '"' });
  }

  parse(text: string): Parsed {
    const { data, errors }: Papa.ParseResult<string[]> = this.#parser.parse(text, 0, false);
    const isOpen = errors.length > 0 && errors.every(({ code }) => code === 'MissingQuotes');
    const fault = isOpen ? NEVER_CLOSED : 'A quote inside a quoted cell must be doubled';
    return { cells: data[0] ?? [], fault: errors.length > 0 ? fault : undefined, isOpen };
  }

  /**
   * Whether a quote that was opened on a line before this one, or another one, is open at its end. A record of many lines is so
   * parsed once, not at each line that has a quote.
   */
  staysOpen(line: string): boolean {
    for (let at = 0; ; ) {
      const quote = line.indexOf('"', at);
      if (quote < 0) return true;
      at = quote + 1;
      if (line[at] === '"') at++;
      else {
        // The cell ends; the next one that begins with a quote opens it.
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

/** Lines that were put back come first. They are a stack, as an array of thousands takes long to shift. */
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
