import { paginateQuery, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { parse as parseUuid, stringify as stringifyUuid } from 'uuid';
import * as z from 'zod/mini';
import { TableName, table } from '../../dynamodb/client.ts';
import { type WriteResult, writeIf } from '../../dynamodb/conditional.ts';
import { sizes } from '../../sizes.ts';
import { type Adjustment, sumDeltas } from './adjustments.ts';
import { blockKey } from './keys.ts';

export const LEVELS = [0, 1, 2];
export const TOP_LEVEL = 2;

/** Sorts before every id. */
export const MIN_KEY = '0';

export type BlockRange = { startAfter: string; lastId: string };

export const isInRange = (id: string, { startAfter, lastId }: BlockRange): boolean => id > startAfter && id <= lastId;

/** `count`: users ever created in the range under a new id, minus tombstones plus returns up to `countedUpTo`. */
export type Block = BlockRange & { level: number; count: number; countedUpTo: number };

/** A block with more than twice the usual entries is split. `entries`: users, or blocks of the level below. */
export const isFull = (level: number, entries: number): boolean =>
  entries > 2 * (level === 0 ? sizes.fanout.users : sizes.fanout.blocks);

/** Returns the blocks before the first gap. A gap means that a block is not visible yet or this replica lags. */
export function takeContiguous(blocks: Block[], startAfter: string): Block[] {
  const gap = blocks.findIndex((block, index) => block.startAfter !== (blocks[index - 1]?.lastId ?? startAfter));
  return gap < 0 ? blocks : blocks.slice(0, gap);
}

/** Indexes adjustments by id, because thousands of blocks look up theirs. */
export class AdjustmentsById {
  readonly #sorted: Adjustment[];

  constructor(adjustments: Adjustment[]) {
    this.#sorted = adjustments.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0));
  }

  get size(): number {
    return this.#sorted.length;
  }

  selectInRange({ startAfter, lastId }: BlockRange): Adjustment[] {
    return this.#sorted.slice(this.#countUpTo(startAfter), this.#countUpTo(lastId));
  }

  #countUpTo(id: string): number {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#sorted[middle] as Adjustment).id <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export const countLive = (block: Block, adjustments: AdjustmentsById): number =>
  block.count + sumDeltas(adjustments.selectInRange(block).filter(({ time }) => time > block.countedUpTo));

export const sumLive = (blocks: Block[], adjustments: AdjustmentsById): number =>
  blocks.reduce((sum, block) => sum + countLive(block, adjustments), 0);

/** Stores an id in 16 bytes instead of 36 characters. */
export const encodeLastId = (id: string): Uint8Array => parseUuid(id);

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
  // Drop the next block: BETWEEN includes both ends, and the next block starts at this block's last id.
  return blocks.filter((block) => block.startAfter < lastId);
}

/** Finds the last block that starts before the id. Consistent. */
export const findBlock = (level: number, id: string): Promise<Block | undefined> =>
  queryOne(level, { KeyConditionExpression: 'pk = :pk AND sk < :id', ScanIndexForward: false }, id);

/** Finds the first block that starts after the id. Consistent. */
export const findNextBlock = (level: number, id: string): Promise<Block | undefined> =>
  queryOne(level, { KeyConditionExpression: 'pk = :pk AND sk > :id' }, id);

async function queryOne(level: number, query: Partial<QueryCommandInput>, id: string): Promise<Block | undefined> {
  const ExpressionAttributeValues = { ':pk': blockKey(level, '').pk, ':id': id };
  const command = new QueryCommand({ ...query, TableName, ExpressionAttributeValues, ConsistentRead: true, Limit: 1 });
  const { Items = [] } = await table.send(command);
  return Items[0] && parseBlock(level, Items[0]);
}

/** Reads consistently. */
export const readBlock = ({ level, startAfter }: Pick<Block, 'level' | 'startAfter'>): Promise<Block | undefined> =>
  queryOne(level, { KeyConditionExpression: 'pk = :pk AND sk = :id' }, startAfter);

/** Replaces a block's count. Returns false if another writer has changed the block. */
export const replaceCount = (read: Block, next: Pick<Block, 'count' | 'countedUpTo'>): Promise<WriteResult> =>
  writeIf('Update', replacement(read, { ...read, ...next }));

/** The condition fails if another writer has changed the block. */
export const replacement = (read: Block, { lastId, count, countedUpTo }: Block) => ({
  Key: blockKey(read.level, read.startAfter),
  UpdateExpression: 'SET lastId = :lastId, #count = :count, countedUpTo = :countedUpTo',
  ConditionExpression: '#count = :countRead AND countedUpTo = :countedUpToRead AND lastId = :lastIdRead',
  ExpressionAttributeNames: { '#count': 'count' },
  ExpressionAttributeValues: {
    ':lastId': encodeLastId(lastId),
    ':count': count,
    ':countedUpTo': countedUpTo,
    ':countRead': read.count,
    ':countedUpToRead': read.countedUpTo,
    ':lastIdRead': encodeLastId(read.lastId),
  },
});
