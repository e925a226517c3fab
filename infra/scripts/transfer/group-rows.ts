import * as z from 'zod/mini';
import { ServiceError } from '../../../lib/errors.ts';
import { createGroupInput } from '../../../lib/features/groups/input.ts';
import { externalIdKey, groupKey } from '../../../lib/features/groups/keys.ts';
import { parseInput } from '../../../lib/input/parsing.ts';
import { idInput } from '../../../lib/input/schemas.ts';
import { FirstLines } from '../../transfer/first-lines.ts';
import {
  ColumnError,
  isMadeId,
  type MemberRecord,
  type RowIssue,
  readRecords,
  type TextOptions,
  toRowIssue,
} from '../../transfer/rows.ts';

/** A group in a file. */
export type GroupInput = { id?: string | undefined; externalId?: string | undefined; name: string };
export type GroupRow = { line: number; size: number } & (
  | { group: GroupInput; issues?: undefined }
  | { group?: undefined; issues: RowIssue[] }
);

const NAMES = ['externalId', 'name', 'id'];

const schema = z.strictObject({
  id: z.optional(idInput.check(z.refine(isMadeId, 'must be from an export of this service'))),
  externalId: z.optional(createGroupInput.shape.externalId),
  name: createGroupInput.shape.name,
});

/** Reads the groups of a CSV or JSON file. Throws ColumnError if the first row has no name, or members of no field. */
export async function* readGroupRows(
  chunks: AsyncIterable<Uint8Array>,
  textOptions: TextOptions = {},
): AsyncGenerator<GroupRow> {
  const firstLines = new FirstLines();
  let isFirst = true;
  for await (const record of readRecords(chunks, new Set(NAMES), textOptions)) {
    if (isFirst && record.members) checkNames(Object.keys(record.members));
    isFirst &&= !record.members;
    const row = parseRow(record);
    const issues = row.issues ? [] : findRepeated(row.group, firstLines);
    yield issues.length > 0 ? { line: row.line, size: row.size, issues } : row;
    if (row.group && issues.length === 0) for (const { pk } of listKeys(row.group)) firstLines.add(pk, row.line);
  }
}

const findName = (column: string): string | undefined =>
  NAMES.find((name) => name.toLowerCase() === column.toLowerCase());

function checkNames(columns: readonly string[]): void {
  const unknown = columns.filter((column) => !findName(column));
  if (unknown.length > 0)
    throw new ColumnError(
      `Groups have no ${unknown.map((column) => JSON.stringify(column)).join(', ')}. The columns are ${NAMES.join(', ')}`,
      'header',
    );
  if (!columns.some((column) => findName(column) === 'name'))
    throw new ColumnError('No column is named name', 'header');
}

function parseRow({ line, size, members = {}, issues }: MemberRecord): GroupRow {
  if (issues) return { line, size, issues };
  const values = Object.entries(members).filter(([, value]) => value !== null && value !== '');
  try {
    const input = Object.fromEntries(values.map(([column, value]) => [findName(column) ?? column, value]));
    const { id, externalId, name } = parseInput(schema, input);
    return { line, size, group: { id, externalId: externalId ?? undefined, name } };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { line, size, issues: (error.issues ?? []).map((issue) => toRowIssue(issue)) };
  }
}

const listKeys = ({ id, externalId }: GroupInput): { name: string; pk: string }[] => [
  ...(id === undefined ? [] : [{ name: 'id', pk: groupKey(id).pk }]),
  ...(externalId === undefined ? [] : [{ name: 'externalId', pk: externalIdKey(externalId).pk }]),
];

const findRepeated = (group: GroupInput, firstLines: FirstLines): RowIssue[] =>
  listKeys(group).flatMap(({ name, pk }) => {
    const first = firstLines.find(pk);
    return first === undefined ? [] : [{ column: name, message: `is the ${name} of line ${first}, too` }];
  });
