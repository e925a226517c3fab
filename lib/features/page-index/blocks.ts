import { GetCommand, paginateQuery, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { parse as parseUuid, stringify as stringifyUuid } from 'uuid';
import * as z from 'zod/mini';
import { TableName, table } from '../../dynamodb/client.ts';
import { updateItemIf } from '../../dynamodb/conditional.ts';
import { type AdjustmentsById, sumDeltas } from './adjustments.ts';
import { blockKey } from './keys.ts';

/** So many users make up a block of level 0, and so many blocks one of the level above. Readers do not depend on it. */
export type Fanout = { users: number; blocks: number };

export const LEVELS = [0, 1, 2];
export const TOP_LEVEL = 2;

/** The first block of each level starts here: before every id. */
export const MIN_KEY = '0';

/** The users after `startAfter`, up to and including `lastId`. */
export type BlockRange = { startAfter: string; lastId: string };

export const isInRange = (id: string, { startAfter, lastId }: BlockRange): boolean => id > startAfter && id <= lastId;

/**
 * `count` is the number of new users ever created in the range, less tombstones and plus returns up to `countedUpTo`. A user
 * is new if the id is.
 */
export type Block = BlockRange & { level: number; count: number; countedUpTo: number };

/** The blocks from `startAfter` on without a gap. Blocks after a gap are not visible yet, or this replica lags. */
export function takeContiguous(blocks: Block[], startAfter: string): Block[] {
  const gap = blocks.findIndex((block, index) => block.startAfter !== (blocks[index - 1]?.lastId ?? startAfter));
  return gap < 0 ? blocks : blocks.slice(0, gap);
}

/** So many users of a block's range exist now. */
export const countLive = (block: Block, adjustments: AdjustmentsById): number =>
  block.count + sumDeltas(adjustments.selectInRange(block).filter(({ time }) => time > block.countedUpTo));

export const sumLive = (blocks: Block[], adjustments: AdjustmentsById): number =>
  blocks.reduce((sum, block) => sum + countLive(block, adjustments), 0);

/** A UUID takes 16 bytes instead of 36. */
export const storeLastId = (id: string): Uint8Array => parseUuid(id);

const stored = z.object({
  sk: z.string(),
  lastId: z.instanceof(Uint8Array),
  count: z.number(),
  countedUpTo: z.number(),
});

export function parseBlock(level: number, item: unknown): Block {
  const { sk, lastId, ...counts } = stored.parse(item);
  return { level, startAfter: sk, lastId: stringifyUuid(lastId), ...counts };
}

type ReadOptions = Pick<QueryCommandInput, 'ConsistentRead'>;

/** The blocks of a level that start within a range, in order. */
export async function readBlocks(level: number, { startAfter, lastId }: BlockRange, reading: ReadOptions = {}) {
  const blocks: Block[] = [];
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :startAfter AND :lastId',
    ExpressionAttributeValues: { ':pk': blockKey(level, '').pk, ':startAfter': startAfter, ':lastId': lastId },
    ...reading,
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query))
    blocks.push(...Items.map((item) => parseBlock(level, item)));
  // BETWEEN includes both ends; the block after the range starts at its last id.
  return blocks.filter((block) => block.startAfter < lastId);
}

/** The last block of a level that starts before an id, as of the latest write. */
export const findBlock = (level: number, id: string): Promise<Block | undefined> =>
  queryOne(level, { KeyConditionExpression: 'pk = :pk AND sk < :id', ScanIndexForward: false }, id);

/** The first block of a level that starts after an id, as of the latest write. */
export const findNextBlock = (level: number, id: string): Promise<Block | undefined> =>
  queryOne(level, { KeyConditionExpression: 'pk = :pk AND sk > :id' }, id);

async function queryOne(level: number, query: Partial<QueryCommandInput>, id: string): Promise<Block | undefined> {
  const ExpressionAttributeValues = { ':pk': blockKey(level, '').pk, ':id': id };
  const command = new QueryCommand({ ...query, TableName, ExpressionAttributeValues, ConsistentRead: true, Limit: 1 });
  const { Items = [] } = await table.send(command);
  return Items[0] && parseBlock(level, Items[0]);
}

/** The read is consistent. */
export async function readBlock({
  level,
  startAfter,
}: Pick<Block, 'level' | 'startAfter'>): Promise<Block | undefined> {
  const Key = blockKey(level, startAfter);
  const { Item } = await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
  return Item && parseBlock(level, Item);
}

/** Replaces the version of a block that was read. False when another writer has changed the block since. */
export const replaceCount = (read: Block, next: Pick<Block, 'count' | 'countedUpTo'>): Promise<boolean> =>
  updateItemIf({
    Key: blockKey(read.level, read.startAfter),
    UpdateExpression: 'SET #count = :count, countedUpTo = :countedUpTo',
    ConditionExpression: '#count = :countRead AND countedUpTo = :countedUpToRead AND lastId = :lastIdRead',
    ExpressionAttributeNames: { '#count': 'count' },
    ExpressionAttributeValues: {
      ':count': next.count,
      ':countedUpTo': next.countedUpTo,
      ':countRead': read.count,
      ':countedUpToRead': read.countedUpTo,
      ':lastIdRead': storeLastId(read.lastId),
    },
  });
