import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { SYSTEM } from '../../../lib/auth/caller.ts';
import { isUserId, normalizeId } from '../../../lib/dynamodb/keys.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { readEpochItems } from '../../../lib/features/change-log/epochs.ts';
import { EPOCH } from '../../../lib/features/change-log/topics.ts';
import { deleteUser } from '../../../lib/users/delete.ts';
import type { Deletion } from '../../transfer/changes.ts';
import { mapInOrder, type Pace } from '../../transfer/pace.ts';

const schema = z.strictObject({
  id: z.string().check(z.refine(isUserId)),
  deletedAt: z.string(),
}) satisfies z.ZodMiniType<Deletion>;

/** Returns the ids in a file of deleted users. Throws for any other line: a file of users must not delete them. */
export function readDeletions(file: string): string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => (line === '' ? [] : normalizeId(parseDeletion(line, `${file}, line ${at + 1}`).id)));
}

function parseDeletion(line: string, where: string): Deletion {
  try {
    return schema.parse(JSON.parse(line));
  } catch {
    throw new Error(`${where}: must be { "id", "deletedAt" }, as export --since writes it. No user was deleted`);
  }
}

/** Skips users who do not exist, so it can be repeated. Stops after an abort. Returns how many were deleted. */
export async function deleteUsers(ids: string[], pace: Pace, signal: AbortSignal): Promise<number> {
  await adoptHistoryDays();
  let deleted = 0;
  for await (const isDeleted of mapInOrder(untilAborted(ids, signal), pace, (id) => pace.run(() => tryDelete(id))))
    if (isDeleted) deleted++;
  return deleted;
}

const DAY_SECONDS = 24 * 3600;

/** A deletion writes items that last as long as the history. Only the table knows the deployment's `historyDays`. */
async function adoptHistoryDays(): Promise<void> {
  const own = (await readEpochItems()).find(({ epoch }) => epoch === EPOCH);
  if (own) process.env.HISTORY_DAYS ??= String(Math.ceil(own.keptSeconds / DAY_SECONDS));
}

async function* untilAborted(ids: string[], signal: AbortSignal): AsyncGenerator<string> {
  for (const id of ids) if (!signal.aborted) yield id;
}

async function tryDelete(id: string): Promise<boolean> {
  try {
    await deleteUser({ id }, SYSTEM);
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}
