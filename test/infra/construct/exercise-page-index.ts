import { randomUUID } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { putItems } from '../../../lib/dynamodb/batch.ts';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';
import { createBackfill, readBackfill, saveBackfill } from '../../../lib/features/backfill/record.ts';
import { blockKey } from '../../../lib/features/page-index/keys.ts';
import { formatDerivedKey, listClaims } from '../../../lib/users/derived.ts';
import { getUser } from '../../../lib/users/read.ts';

/** A block has 40 users. */
const USERS_ABOVE_BLOCK = 41;

type Run = (event?: { repair?: boolean }) => Promise<unknown>;

/** `createUser` returns the user's URL. */
export async function exercisePageIndex(createUser: () => Promise<string>, indexPages: Run) {
  skipPauses();
  try {
    const [first = ''] = (await Promise.all(Array.from({ length: USERS_ABOVE_BLOCK }, createUser))).toSorted();
    await requireBackfill(first.slice(first.lastIndexOf('/') + 1));
    advanceThreeMinutes();
    await indexPages();
    await createUser();
    advanceThreeMinutes();
    await indexPages();
    const deletion = await fetch(first, { method: 'DELETE' });
    await table.send(miscount);
    return { 'delete-user, indexed': deletion.status, 'index-pages, repairing': await indexPages({ repair: true }) };
  } finally {
    vi.useRealTimers();
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
}

/** The next run of index-pages must remove a stale search entry and a deleted user's claim. */
async function requireBackfill(id: string): Promise<void> {
  const derived = [formatDerivedKey({ pk: 'SEARCH#fo', sk: `former\t${id}` }, id)];
  await table.send(
    new UpdateCommand({
      TableName,
      Key: userKey(id),
      UpdateExpression: 'SET derived = :derived',
      ExpressionAttributeValues: { ':derived': derived },
    }),
  );
  const claims = listClaims(await getUser({ id }));
  await putItems(claims.map(({ key }) => ({ ...key, userId: randomUUID(), version: 1 })));
  await saveBackfill(createBackfill(await readBackfill()));
}

const advanceThreeMinutes = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 180_000 });

/** Skips pauses for transactions to become visible. */
function skipPauses(): void {
  vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  syncBuiltinESMExports();
}

const miscount = new UpdateCommand({
  TableName,
  Key: blockKey(1, '0'),
  UpdateExpression: 'ADD #count :one',
  ExpressionAttributeNames: { '#count': 'count' },
  ExpressionAttributeValues: { ':one': 1 },
});
