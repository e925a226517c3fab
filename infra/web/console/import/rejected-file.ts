import { readTable } from '../../../transfer/csv.ts';
import { BYTE_ORDER_MARK, formatRecord } from '../../../transfer/csv-format.ts';
import type { RowResult } from '../../../transfer/import-rows.ts';
import { type Line, readLines } from '../../../transfer/lines.ts';
import { findFormat, type RowIssue } from '../../../transfer/rows.ts';
import { type ImportFile, readBytes, readStream } from './import-file.ts';
import type { Rejected } from './results.ts';

/** A result has at most ten issues, so 1 MB is enough. */
const RESULT_LINES = { maxBytes: 1024 * 1024, encoding: 'utf-8' };

/** Adds line numbers and reasons, so that the file can be corrected and imported again. */
export async function createRejectedFile(source: ImportFile, results: Blob): Promise<BlobPart[]> {
  const { encoding, ...table } = source.text;
  const { format, lines } = await findFormat(readBytes(source), encoding);
  const { columns, records } =
    format === 'NDJSON' ? { columns: ['row'], records: readTexts(lines) } : await readTable(lines, table);
  const parts = [BYTE_ORDER_MARK, formatRecord(['line', 'reason', ...columns])];
  const rejected = readRejected(results);
  let next = await rejected.next();
  for await (const { line, cells = [] } of records) {
    if (next.done) break;
    if (line !== next.value.line) continue;
    parts.push(formatRecord([line, next.value.issues.map(describe).join('; '), ...cells]));
    next = await rejected.next();
  }
  return parts;
}

const describe = ({ column, message }: RowIssue): string => (column ? `${column}: ${message}` : message);

async function* readTexts(lines: AsyncIterable<Line>) {
  for await (const { number: line, text } of lines) yield { line, cells: text === undefined ? [] : [text] };
}

async function* readRejected(results: Blob): AsyncGenerator<Rejected> {
  for await (const { text } of readLines(readStream(results.stream()), RESULT_LINES)) {
    const result = JSON.parse(text ?? '{}') as RowResult;
    if (result.result === 'invalid') yield result;
  }
}
