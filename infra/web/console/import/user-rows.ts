import { resolveMemberships } from '../../../transfer/memberships.ts';
import { type Row, type RowOptions, readRows } from '../../../transfer/rows.ts';
import { createGroupIndex } from '../group-index.ts';
import { type ImportFile, readBytes } from './import-file.ts';

/** Reads the rows of a file, and finds their groups. `onRead` receives the share read, from 0 to 1. */
export function readUserRows(
  source: ImportFile,
  options: RowOptions,
  onRead: (part: number) => void,
  signal: AbortSignal,
): AsyncIterable<Row> {
  const rows = readRows(readBytes(source, onRead, signal), options, source.text);
  const index = createGroupIndex();
  return index ? resolveMemberships(rows, index) : rows;
}
