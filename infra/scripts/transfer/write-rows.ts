import { createWriteStream, renameSync, rmSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Criterion } from '../../../lib/users/criteria.ts';
import { formatCell } from '../../transfer/cells.ts';
import type { Deletion, ExportedChangesPage } from '../../transfer/changes.ts';
import { formatRecord } from '../../transfer/csv-format.ts';
import type { ExportedUser, Person } from '../../transfer/person.ts';
import { isCsvFile, namePartFile } from './outputs.ts';

export type ExportSource = {
  fields: readonly string[];
  /** Returns users who match all criteria. */
  readUsers(options: { posts: boolean; criteria?: readonly Criterion[] }): AsyncIterable<ExportedUser>;
  /** `after` is a cursor or an ISO 8601 time. */
  readChanges(after: string): Promise<ExportedChangesPage>;
  addPosts(users: AsyncIterable<ExportedUser>): AsyncIterable<ExportedUser>;
  readPerson(id: string): Promise<Person>;
};

type WriteOptions = { onUser?: (count: number) => void; signal?: AbortSignal };

const PART_LENGTH = 64 * 1024;

/**
 * Writes to standard output if `file` is `-`. The ending of its name selects CSV or NDJSON, and gzip. The file appears
 * only when complete. `leftOut`: values without a CSV column.
 */
export async function writeRows(
  file: string,
  users: AsyncIterable<ExportedUser>,
  fields: readonly string[],
  { onUser = () => {}, signal }: WriteOptions = {},
): Promise<{ users: number; leftOut: number }> {
  const written = { users: 0, leftOut: 0 };
  const isCsv = isCsvFile(file);
  const columns = ['id', 'name', 'email', ...fields, 'createdAt', 'updatedAt', 'version'];

  async function* format() {
    let part = isCsv ? formatRecord(columns) : '';
    for await (const user of users) {
      part += isCsv ? formatUser(user) : `${JSON.stringify(user)}\n`;
      onUser(++written.users);
      if (part.length < PART_LENGTH) continue;
      yield part;
      part = '';
    }
    yield part;
  }

  await writeParts(file, format(), signal);
  return written;

  function formatUser(user: ExportedUser): string {
    const values = new Map<string, unknown>(Object.entries(user));
    written.leftOut += [...values.keys()].filter((name) => !columns.includes(name)).length;
    return formatRecord(columns.map((name) => formatCell(name, values.get(name))));
  }
}

/** The columns of groups in a file. */
const GROUP_COLUMNS = ['id', 'externalId', 'name'] as const;

/** Writes groups like `writeRows`. Returns their number. */
export async function writeGroups(
  file: string,
  groups: AsyncIterable<{ id: string; externalId: string | null; name: string }>,
  signal: AbortSignal,
): Promise<number> {
  const isCsv = isCsvFile(file);
  let count = 0;
  async function* format() {
    if (isCsv) yield formatRecord([...GROUP_COLUMNS]);
    for await (const { id, externalId, name } of groups) {
      count++;
      yield isCsv ? formatRecord([id, externalId ?? '', name]) : `${JSON.stringify({ id, externalId, name })}\n`;
    }
  }
  await writeParts(file, format(), signal);
  return count;
}

async function writeParts(file: string, texts: AsyncIterable<string>, signal: AbortSignal | undefined): Promise<void> {
  const parts = Readable.from(texts);
  const gzip = file.endsWith('.gz') ? [createGzip()] : [];
  const stop = signal ? { signal } : {};
  if (file === '-') return pipeline([parts, ...gzip, process.stdout], { end: false, ...stop });
  const part = namePartFile(file);
  try {
    await pipeline([parts, ...gzip, createWriteStream(part)], stop);
    renameSync(part, file);
  } finally {
    rmSync(part, { force: true });
  }
}

export function writeDeletions(file: string, deletions: Deletion[]): void {
  const part = namePartFile(file);
  writeFileSync(part, deletions.map((deletion) => `${JSON.stringify(deletion)}\n`).join(''));
  renameSync(part, file);
}
