import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** The last sequence number that was consumed of each shard. */
export type Checkpoints = Record<string, string>;

/** The ARN of the stream identifies the database: the stream of a new table has another. */
const storedCheckpoints = z.object({ stream: z.string(), shards: z.record(z.string(), z.string()) });

/** Tells whether the database has had a record. */
export type HasRecord = (shard: string, sequence: string) => boolean | Promise<boolean>;

export type CheckpointFile = { folder: string; name: string; stream: string };

const getPath = ({ folder, name }: CheckpointFile) => join(folder, `${name}.json`);

/** Writes a new file, then renames it: a crash leaves the old file or the new one, never a partial one. */
export function storeCheckpoints(file: CheckpointFile, shards: Checkpoints): void {
  const path = getPath(file);
  writeFileSync(`${path}.new`, JSON.stringify({ stream: file.stream, shards }));
  renameSync(`${path}.new`, path);
}

/**
 * Returns undefined for a consumer that has never run. Discards checkpoints of another database, which was deleted since, and
 * those after the last record of one that was restored: the consumer would wait for numbers that come much later. It reads the
 * stream from its start instead, which is safe, as consumers are idempotent.
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
