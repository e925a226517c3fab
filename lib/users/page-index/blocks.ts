/**
 * Page numbers that cost the same at any page.
 *
 * The directory, in the order of ids, is cut into blocks of 40 users; 64 of these make a block of level 1, and 64 of
 * those one of level 2. Each is an item of about 60 bytes: the id behind which it starts, and how many users it holds.
 * A page is found by adding up level 2, then the parts of one of its blocks, then the parts of one of those.
 *
 * | users | blocks in levels 0, 1, 2 | RCU to find a page | a page of 20, at most 39 before it, and the total |
 * |-------|--------------------------|--------------------|---------------------------------------------------|
 * | 1 k   | 25, 1, 1                 | 0.5 + 0.5 + 0.5    | 3 to 3.5 RCU, 4 round trips                       |
 * | 100 k | 2,500, 40, 1             | 0.5 + 0.5 + 0.5    | 3 to 3.5 RCU, 4 round trips                       |
 * | 1 M   | 25,000, 391, 7           | 0.5 + 0.5 + 0.5    | 3 to 3.5 RCU, 4 round trips                       |
 * | 100 M | 2,500,000, 39,063, 611   | 5 + 0.5 + 0.5      | 7.5 to 8 RCU, 4 round trips                       |
 *
 * That is with users of 185 bytes. Those created since the last run, in one to two minutes, are counted one by one:
 * 1 RCU for each 44 of them, and a round trip for each 5,600.
 *
 * What always holds:
 * 1. A block holds the users behind its start, up to and with the start of the next one of its level. Where a block of
 *    level 1 or 2 starts, one of the level below starts too. Blocks are never moved or removed.
 * 2. The checkpoint names the last id that is indexed. Exactly the users up to it are counted, each in one block of
 *    each level. The newest block of the top level names the same id: a reader takes count and end from one item.
 * 3. Checkpoint and counts change in one transaction, conditional on the checkpoint that was read. So an indexer may
 *    die anywhere, start again and meet another: there is no state in between, and the second to write is refused.
 * 4. Deleting an indexed user takes one off its three blocks in the same transaction. Deleting one not yet indexed
 *    leaves a removal, counted in the checkpoint, so that an indexer which read the user before passes over it.
 * 5. A query is no snapshot of a transaction. What a step writes is such that a reader who sees any part of it is still
 *    right: either the newest block grows, or blocks are added behind it, which their parent counts.
 *
 * The one thing taken on trust: what has an id older than a minute is in the directory (clocks and the propagation to
 * the GSI are off by less). Where that fails, or someone edits the table by hand, recounting mends the counts.
 */
import { paginateQuery, QueryCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { blockKey } from '../../dynamodb/keys.ts';
import { TableName, table } from '../../dynamodb/client.ts';

/** How many users a block of level 0 is made of, and how many blocks one of the next level. */
export type Sizes = { users: number; blocks: number };

/** Readers do not depend on the sizes: a table indexed with others stays right. */
export const FANOUT: Sizes = { users: 40, blocks: 64 };

export const LEVELS = [0, 1, 2];
export const TOP = 2;

/** Where the first block of each level starts: before every id. */
export const FIRST = '0';

/**
 * `parts` is the number of blocks of the next lower level that make it up, 0 in level 0; `reached` is the last id that
 * is counted, given on the newest block of the top level only.
 */
export type Block = { behind: string; users: number; parts: number; reached?: string | undefined };

const stored = z
  .object({ sk: z.string(), held: z.number(), parts: z.number().default(0), reached: z.string().optional() })
  .transform(({ sk, held, parts, reached }): Block => ({ behind: sk, users: held, parts, reached }));

type Range = { from: string; before?: string | undefined };
type Reading = { limit?: number; consistent?: boolean };

/** The blocks of a level that start in a range, in order. */
export async function readBlocks(level: number, { from, before }: Range, reading: Reading = {}): Promise<Block[]> {
  const blocks: Block[] = [];
  const query = {
    TableName,
    KeyConditionExpression: `pk = :pk AND sk ${before ? 'BETWEEN :from AND :before' : '>= :from'}`,
    ExpressionAttributeValues: { ':pk': blockKey(level, from).pk, ':from': from, ...(before && { ':before': before }) },
    ConsistentRead: reading.consistent,
    Limit: reading.limit,
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) {
    blocks.push(...z.array(stored).parse(Items));
    if (reading.limit) break;
  }
  // BETWEEN takes both ends in.
  return blocks.filter(({ behind }) => behind !== before);
}

/** The block of a level that an indexed user is counted in: the last that starts before it. */
export async function blockOf(level: number, id: string): Promise<Block | undefined> {
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk AND sk < :id',
      ExpressionAttributeValues: { ':pk': blockKey(level, id).pk, ':id': id },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: 1,
    }),
  );
  return Items[0] && stored.parse(Items[0]);
}

export const sumCounts = (blocks: Block[]) => blocks.reduce((total, { users }) => total + users, 0);
