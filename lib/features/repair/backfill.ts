import { getItems } from '../../dynamodb/batches.ts';
import { putItemIf } from '../../dynamodb/conditional-writes.ts';
import { userKey } from '../../dynamodb/keys.ts';
import { timestamp } from '../../environment.ts';
import { sizes } from '../../sizes.ts';
import { queryUserIds } from '../../users/directory.ts';
import { type Backfill, declared, type Fields, isForDeclared, listFormer, readBackfill } from './backfill-record.ts';
import { readUsers } from './comparison.ts';
import { backfillKey } from './keys.ts';
import { repairPart } from './verify-users.ts';

/** The names of fields for which the table was completed, but which are not declared here as they were for the service. */
export const listUndeclared = ({ unique, search }: Fields): string[] => [
  ...new Set([
    ...unique.filter((name) => !declared.unique.includes(name)),
    ...search.filter((name) => !declared.search.includes(name)),
  ]),
];

/**
 * Goes through all users, oldest first, once others are the unique and search fields than those of the last backfill. Each
 * part is saved, so that the next run continues after it; a part that is done again finds nothing to do. Users who are
 * written meanwhile by code that knows other fields are completed by `verifyChangedUsers`. Yields the progress after each part;
 * nothing if there is nothing to do.
 */
export async function* backfill(): AsyncGenerator<Backfill> {
  const last = await readBackfill();
  const isSame = isForDeclared(last);
  if (isSame && (!last || last.endedAt)) return;
  let progress = isSame && last ? last : startBackfill(last);
  try {
    while (!progress.endedAt) {
      const next = await backfillPart(progress);
      if (progress.users === 0 && next.users > 0) console.info({ event: 'backfill started', ...declared });
      // If not saved, another run has done this part, or this one had no answer: the next run continues from what is saved.
      const isSaved = await save(next);
      if (isSaved) progress = next;
      yield progress;
      if (!isSaved) return;
    }
  } finally {
    if (progress.users > 0) console.info({ event: progress.endedAt ? 'backfill ended' : 'backfill', ...progress });
  }
}

const startBackfill = (last: Backfill | undefined): Backfill => ({
  ...declared,
  former: listFormer(last),
  ...{ startedAt: timestamp(), users: 0, claims: 0, entries: 0, duplicates: 0 },
  revision: last?.revision ?? 0,
});

/** A part is as many users as one request reads. */
async function backfillPart(progress: Backfill): Promise<Backfill> {
  const ids = await queryUserIds({ startAfter: progress.scannedUpTo }, sizes.batchGet);
  const users = readUsers(await getItems(ids.map(userKey)));
  const { claims, entries, duplicates } = await repairPart({ users, versions: users, former: progress.former });
  const scannedUpTo = ids.at(-1);
  return {
    ...progress,
    ...(scannedUpTo ? { scannedUpTo } : {}),
    ...(ids.length < sizes.batchGet ? { endedAt: timestamp() } : {}),
    users: progress.users + ids.length,
    claims: progress.claims + claims,
    entries: progress.entries + entries,
    duplicates: progress.duplicates + duplicates.length,
    revision: progress.revision + 1,
  };
}

const save = (next: Backfill): Promise<boolean> =>
  putItemIf({
    Item: { ...backfillKey, ...next },
    ConditionExpression: 'attribute_not_exists(pk) OR revision = :read',
    ExpressionAttributeValues: { ':read': next.revision - 1 },
  });
