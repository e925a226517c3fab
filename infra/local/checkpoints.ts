import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

/** The last consumed sequence number, by shard. */
export type Checkpoints = Record<string, string>;

/** The stream's ARN identifies the database: a new table has a new stream. */
const storedCheckpoints = z.object({ stream: z.string(), shards: z.record(z.string(), z.string()) });

export type HasRecord = (shard: string, sequence: string) => boolean | Promise<boolean>;

export type CheckpointFile = { folder: string; name: string; stream: string };

const getPath = ({ folder, name }: CheckpointFile) => join(folder, `${name}.json`);

/** Writes a new file and renames it, so that a crash leaves no partial file. */
export function storeCheckpoints(file: CheckpointFile, shards: Checkpoints): void {
  const path = getPath(file);
  writeFileSync(`${path}.new`, JSON.stringify({ stream: file.stream, shards }));
  renameSync(`${path}.new`, path);
}

/**
 * Returns undefined for a new consumer. Discards checkpoints of a deleted database. Also discards checkpoints after the
 * end of the stream, which are left after restoring a backup: the consumer would wait for these records. A consumer
 * without checkpoints reads the stream from its start. Repeated records are harmless, because consumers are idempotent.
 */
export async function loadCheckpoints(file: CheckpointFile, hasRecord: HasRecord): Promise<Checkpoints | undefined> {
  const path = getPath(file);
  if (!existsSync(path)) return undefined;
  const stored = parse(readFileSync(path, 'utf8'));
  if (stored?.stream === file.stream && (await hasAll(stored.shards, hasRecord))) return stored.shards;
  console.warn({ event: 'checkpoints-discarded', file: path, reason: 'They belong to another database' });
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
