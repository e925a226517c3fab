import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** The last consumed sequence number, by shard. */
export type Checkpoints = Record<string, string>;

/** The stream's ARN identifies the database: a new table has a new stream. */
const storedCheckpoints = z.object({ stream: z.string(), shards: z.record(z.string(), z.string()) });

/** Returns whether the database has ever had the record. */
export type HasRecord = (shard: string, sequence: string) => boolean | Promise<boolean>;

export type CheckpointFile = { folder: string; name: string; stream: string };

const getPath = ({ folder, name }: CheckpointFile) => join(folder, `${name}.json`);

/** Writes a new file, then renames it, so that a crash leaves no partial file. */
export function storeCheckpoints(file: CheckpointFile, shards: Checkpoints): void {
  const path = getPath(file);
  writeFileSync(`${path}.new`, JSON.stringify({ stream: file.stream, shards }));
  renameSync(`${path}.new`, path);
}

/**
 * Returns undefined for a consumer that has never run. Discards checkpoints of another (deleted) database, and those
 * beyond the last record of a restored one, because the consumer would wait for numbers far ahead. The consumer then
 * reads the stream from its start, which is safe: consumers are idempotent.
 */
export async function loadCheckpoints(file: CheckpointFile, hasRecord: HasRecord): Promise<Checkpoints | undefined> {
  const path = getPath(file);
  if (!existsSync(path)) return undefined;
  const stored = parse(readFileSync(path, 'utf8'));
  if (stored?.stream === file.stream && (await hasAll(stored.shards, hasRecord))) return stored.shards;
  console.warn({ event: 'checkpoints-discarded', file: path, reason: 'They are not of this database' });
  storeCheckpoints(file, {});
  return {};
}

function parse(text: string) {
  try {
    return storedCheckpoints.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

async function hasAll(shards: Checkpoints, hasRecord: HasRecord): Promise<boolean> {
  for (const [shard, sequence] of Object.entries(shards)) if (!(await hasRecord(shard, sequence))) return false;
  return true;
}
