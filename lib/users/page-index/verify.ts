import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { checkpointKey } from '../../dynamodb/keys.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import { queryUserIds } from '../directory.ts';
import { blockOf, FIRST, readBlocks, TOP } from './blocks.ts';
import { readCheckpoint } from './checkpoint.ts';
import { endOf, type Repair, mend } from './repair.ts';

/** What recounting a block of level 1 found in it. */
export type Recount = { behind: string; users: number; mends: Repair[] };

/**
 * Recounts everything, a block of level 1 at a time, from the one that starts at `from` on: each is counted only when
 * it is asked for. Of how many it is one is told with it.
 */
export async function* verifyAll(from = FIRST): AsyncGenerator<Recount & { of: number }> {
  const blocks = await readBlocks(1, { from }, { consistent: true });
  for (const { behind } of blocks) yield { ...(await recount(behind)), of: blocks.length };
}

/** Recounts the block of level 1 that is next in turn, so that a wrong count does not last, wherever it came from. */
export async function verifyNext(): Promise<Repair[]> {
  const { reached, recounted } = await readCheckpoint();
  if (reached === FIRST) return [];
  const [, next] = await readBlocks(1, { from: recounted }, { limit: 2 });
  const { behind, mends } = await recount(next?.behind ?? FIRST);
  await table.send(
    new UpdateCommand({
      TableName,
      Key: checkpointKey,
      UpdateExpression: 'SET recounted = :behind',
      ExpressionAttributeValues: { ':behind': behind },
    }),
  );
  return mends;
}

/** Counts the parts of a block of level 1 in the directory, then mends those that differ, and the counts above. */
async function recount(behind: string): Promise<Recount> {
  const checkpoint = await readCheckpoint();
  const end = await endOf(1, behind, checkpoint);
  const parts = await readBlocks(0, { from: behind, before: end }, { consistent: true });
  const ids = await queryUserIds(behind, end);
  const differing = parts.filter(({ behind, users }, at) => {
    const last = parts[at + 1]?.behind ?? end;
    return users !== ids.filter((id) => id > behind && id <= last).length;
  });
  const mends: Repair[] = [];
  for (const part of differing) mends.push(...(await mend(0, part.behind)));
  mends.push(...(await mend(1, behind)));
  const top = await blockOf(TOP, end);
  if (top) mends.push(...(await mend(TOP, top.behind)));
  return { behind, users: ids.length, mends };
}
