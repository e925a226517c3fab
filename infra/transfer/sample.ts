import { fitCells, readTable } from './csv.ts';
import type { Line } from './lines.ts';
import { findFormat, type TextOptions } from './rows.ts';

export type Sample = {
  format: 'CSV' | 'NDJSON';
  columns: string[];
  rows: { line: number; cells: string[] }[];
};

export async function readSample(
  chunks: AsyncIterable<Uint8Array>,
  maxRows: number,
  { encoding, ...table }: TextOptions = {},
): Promise<Sample> {
  const { format, lines } = await findFormat(chunks, encoding);
  if (!format) throw new Error('The file is empty');
  return format === 'NDJSON' ? readObjects(lines, maxRows) : readCells(await readTable(lines, table), maxRows);
}

type Table = Awaited<ReturnType<typeof readTable>>;

async function readCells({ columns, records }: Table, maxRows: number): Promise<Sample> {
  const rows: Sample['rows'] = [];
  for await (const { line, cells } of records) {
    const fitting = cells && fitCells(cells, columns.length);
    if (fitting) rows.push({ line, cells: fitting });
    if (rows.length === maxRows) break;
  }
  return { format: 'CSV', columns, rows };
}

async function readObjects(lines: AsyncGenerator<Line>, maxRows: number): Promise<Sample> {
  const objects: { line: number; members: Map<string, unknown> }[] = [];
  for await (const { number, text } of lines) {
    const members = parseMembers(text);
    if (members) objects.push({ line: number, members });
    if (objects.length === maxRows) break;
  }
  const columns = [...new Set(objects.flatMap(({ members }) => [...members.keys()]))];
  const rows = objects.map(({ line, members }) => ({ line, cells: columns.map((name) => format(members.get(name))) }));
  return { format: 'NDJSON', columns, rows };
}

function parseMembers(text: string | undefined): Map<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? new Map(Object.entries(value)) : undefined;
  } catch {
    return undefined;
  }
}

const format = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
