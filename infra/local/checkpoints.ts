import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';

export type Checkpoints = Record<string, string>;

/** The stream's ARN identifies the database. */
const storedCheckpoints = z.object({ stream: z.string(), shards: z.record(z.string(), z.string()) });

export type HasRecord = (shard: string, sequence: string) => boolean | Promise<boolean>;

export type CheckpointFile = { folder: string; name: string; stream: string };

const getPath = ({ folder, name }: CheckpointFile) => join(folder, `${name}.json`);

/** Renames a complete file, so a crash leaves no partial one. */
export function storeCheckpoints(file: CheckpointFile, shards: Checkpoints): void {
  const path = getPath(file);
  writeFileSync(`${path}.new`, JSON.stringify({ stream: file.stream, shards }));
  renameSync(`${path}.new`, path);
}

/**
 * Returns undefined for a new consumer. Discards checkpoints of a deleted database, and those after the end of the
 * stream, as after restoring a backup. A consumer without checkpoints reads from the start: consumers are idempotent.
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
