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

  function formatUser(user: ExportedUser): string {
    const values = new Map<string, unknown>(Object.entries(user));
    written.leftOut += [...values.keys()].filter((name) => !columns.includes(name)).length;
    return formatRecord(columns.map((name) => formatCell(name, values.get(name))));
  }

  const parts = Readable.from(format());
  const gzip = file.endsWith('.gz') ? [createGzip()] : [];
  const stop = signal ? { signal } : {};
  if (file === '-') await pipeline([parts, ...gzip, process.stdout], { end: false, ...stop });
  else {
    const part = namePartFile(file);
    try {
      await pipeline([parts, ...gzip, createWriteStream(part)], stop);
      renameSync(part, file);
    } finally {
      rmSync(part, { force: true });
    }
  }
  return written;
}

export function writeDeletions(file: string, deletions: Deletion[]): void {
  const part = namePartFile(file);
  writeFileSync(part, deletions.map((deletion) => `${JSON.stringify(deletion)}\n`).join(''));
  renameSync(part, file);
}
