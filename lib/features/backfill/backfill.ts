import { isDeepStrictEqual } from 'node:util';
import { getItems } from '../../dynamodb/batch.ts';
import { userKey } from '../../dynamodb/keys.ts';
import { timestamp } from '../../environment.ts';
import type { Job } from '../../maintenance/run.ts';
import { sizes } from '../../sizes.ts';
import { queryUserIds } from '../../users/directory.ts';
import { parseClaimName } from '../../users/fields/values.ts';
import { tryParseStoredUser } from '../../users/user.ts';
import {
  type Backfill,
  completeLists,
  createBackfill,
  declared,
  isForDeclared,
  readBackfill,
  saveBackfill,
} from './record.ts';
import { rewriteUsers } from './rewrite.ts';

/** Fields of the last backfill that this release declares differently or not at all. */
export const listUndeclared = ({ unique, search, lists }: Backfill): string[] => [
  ...new Set([
    ...unique.filter((name) => !declared.unique.includes(name)).map(parseClaimName),
    ...search
      .filter((field) => !declared.search.some((other) => isDeepStrictEqual(field, other)))
      .map(({ name }) => name),
    ...Object.keys(lists)
      .toSorted()
      .filter((name) => lists[name] !== declared.lists[name])
      .map((name) => name.replace('=', '')),
  ]),
];

/** Completes the derived items (claims and index entries) of all users after field declarations have changed. */
export const backfillJob: Job = {
  name: 'backfill',
  turnMs: 7_000,
  run: backfill,
};

/**
 * Continues a backfill for the same declarations after its last saved part. Starts a new one after a change of
 * declarations. Yields the progress after each part.
 */
export async function* backfill(): AsyncGenerator<Backfill> {
  const last = await readBackfill();
  const isSame = isForDeclared(last);
  if (last?.endedAt && isSame) return;
  let progress = last && isSame ? last : createBackfill(last);
  if (!isSame) {
    // Save first, so that `on-change` of another release can restart this backfill after that release has written
    // users.
    if ((await saveBackfill(progress)).failure) return;
    if (last) console.info({ event: 'backfill started', ...declared });
  }
  try {
    while (!progress.endedAt) {
      const next = await backfillPart(progress);
      // A parallel run has saved this part, or the answer of our own save was lost. The next run continues.
      if ((await saveBackfill(next)).failure) return;
      progress = next;
      yield progress;
    }
  } finally {
    // Log nothing for the empty backfill of a new table.
    if (last || progress.users > 0)
      console.info({ event: progress.endedAt ? 'backfill ended' : 'backfill paused', ...progress });
  }
}

async function backfillPart(progress: Backfill): Promise<Backfill> {
  const ids = await queryUserIds({ startAfter: progress.scannedUpTo }, sizes.batchGet);
  const items = await getItems(ids.map(userKey), { ConsistentRead: true });
  const users = items.flatMap((item) => tryParseStoredUser(item) ?? []);
  const { rewritten, duplicates } = await rewriteUsers(users, progress.formerUnique);
  if (duplicates.length > 0) console.warn({ event: 'duplicate values', duplicates });
  const scannedUpTo = ids.at(-1) ?? progress.scannedUpTo;
  const next = {
    ...progress,
    ...(scannedUpTo ? { scannedUpTo } : {}),
    users: progress.users + ids.length,
    rewritten: progress.rewritten + rewritten,
    duplicates: progress.duplicates + duplicates.length,
    revision: progress.revision + 1,
  };
  const isLast = ids.length < sizes.batchGet;
  if (!isLast) return next;
  return { ...next, endedAt: timestamp(), completeFrom: completeLists(next), completeClaims: declared.unique };
}
