import assert from 'node:assert/strict';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../../lib/dynamodb/client.ts';
import { userKey } from '../../../lib/dynamodb/keys.ts';
import { runCycles } from '../../../lib/features/page-index/indexer.ts';
import { tombstoneKey } from '../../../lib/features/page-index/keys.ts';
import { queryUserIds } from '../../../lib/users/directory.ts';
import { listUsers } from '../../../lib/users/list.ts';
import { loadUsers } from '../load.ts';
import { addCosts, type Cost, measureCost } from '../measure.ts';

/**
 * Costs while `perSecond` users are created, and as many deleted, each second. `page`: reading the most expensive page.
 * `indexer`: `index-pages`, per second.
 */
export type Traffic = { perSecond: number; page: Cost; indexer: Cost };

/** Maximum age of the page index in seconds: from the last cycle of a run to the first written cycle of the next. */
const LONGEST_GAP = 7;
const CYCLE = 4;
const SECONDS = 80;
/** Distance between users deleted in sequence. A prime spreads the deletes over the whole table. */
const SPREAD = 7919;

/**
 * Simulates this traffic. Its last seconds are not indexed, so pages cost the most to read. Measures eleven pages, and
 * the indexer per second.
 */
export async function measureTraffic(users: number, perSecond: number, limit: number): Promise<Traffic> {
  const end = Date.now() + SECONDS * 1000;
  const count = SECONDS * perSecond;
  const ids = await queryUserIds({ startAfter: undefined, lastId: '~' });
  await loadUsers(0, count, end - SECONDS * 1000, { apartMs: 1000 / perSecond });
  const step = Math.floor(ids.length / count);
  assert(step > 0, `This traffic deletes ${count} users: give --users more than that`);
  const deletes = Array.from({ length: count }, (_, at) => ({
    id: String(ids[((at * SPREAD) % count) * step]),
    time: end - (at * 1000) / perSecond,
  }));
  await deleteUsers(deletes);
  const cycles: Cost[] = [];
  for (let second = LONGEST_GAP + 15 * CYCLE; second >= LONGEST_GAP; second -= CYCLE)
    cycles.push(await at(end - second * 1000, () => measureCost(() => runCycles(() => true).next())));
  const pages: Cost[] = [];
  for (let part = 0; part <= 10; part++) {
    const page = Math.max(1, Math.floor((users / limit) * (part / 10)));
    pages.push(await at(end, () => measureCost(() => listUsers({ page, limit }))));
  }
  const busiest = pages.toSorted((one, other) => other.reads - one.reads)[0];
  // Excludes the first cycle, which also indexes all earlier users.
  const [, ...regular] = cycles;
  return { perSecond, page: busiest ?? addCosts([]), indexer: addCosts(regular, 1 / (regular.length * CYCLE)) };
}

async function at<Result>(milliseconds: number, run: () => Promise<Result>): Promise<Result> {
  const { now } = Date;
  Date.now = () => Math.floor(milliseconds);
  try {
    return await run();
  } finally {
    Date.now = now;
  }
}

const BATCH = 12;

async function deleteUsers(deletes: { id: string; time: number }[]): Promise<void> {
  for (let start = 0; start < deletes.length; start += BATCH) {
    const requests = deletes.slice(start, start + BATCH).flatMap(({ id, time }) => {
      const expiresAt = Math.ceil(time / 1000) + 7 * 24 * 3600;
      return [
        { DeleteRequest: { Key: userKey(id) } },
        { PutRequest: { Item: { ...tombstoneKey(Math.floor(time), id, 2), expiresAt } } },
      ];
    });
    await table.send(new BatchWriteCommand({ RequestItems: { [TableName]: requests } }));
  }
}
