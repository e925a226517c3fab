import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { parseUserId } from '../../../../lib/dynamodb/keys.ts';
import { type Adjustment, sumDeltas } from '../../../../lib/features/page-index/adjustments.ts';
import {
  type Block,
  isFull,
  isInRange,
  LEVELS,
  MIN_KEY,
  parseBlock,
  takeContiguous,
} from '../../../../lib/features/page-index/blocks.ts';
import { readCheckpoint } from '../../../../lib/features/page-index/checkpoint.ts';
import { checkpointKey, firstAdjustmentKey, parseAdjustmentKey } from '../../../../lib/features/page-index/keys.ts';

/**
 * Finds blocks that violate the invariant: a block's `count` plus the adjustments after `countedUpTo` is the number of
 * users in its range. The table must still have every adjustment ever written, and no write may be in flight.
 */
export async function findViolations(): Promise<string[]> {
  const { users, adjustments, blocks } = await readAll();
  const { foldedUpTo, indexedUpTo } = await readCheckpoint();
  const counts = blocks.flatMap((block) => {
    const own = adjustments.filter(({ id }) => isInRange(id, block));
    const later = own.filter(({ time }) => time > block.countedUpTo);
    const expected = users.filter((id) => isInRange(id, block)).length - sumDeltas(later);
    const isFolded = own.every(({ time }) => time <= block.countedUpTo || time > foldedUpTo);
    return [
      ...(expected === block.count ? [] : [`${name(block)} counts ${block.count} instead of ${expected}`]),
      ...(isFolded ? [] : [`${name(block)} lacks adjustments up to ${foldedUpTo}`]),
    ];
  });
  return [...counts, ...LEVELS.flatMap((level) => checkLevel(blocks, level, indexedUpTo))];
}

function checkLevel(blocks: Block[], level: number, indexedUpTo: string): string[] {
  const own = blocks.filter((block) => block.level === level);
  const contiguous = takeContiguous(own, MIN_KEY);
  const starts = new Set(blocks.filter((block) => block.level === level - 1).map(({ startAfter }) => startAfter));
  return [
    ...(contiguous.length === own.length ? [] : [`level ${level} has a gap after ${contiguous.at(-1)?.lastId}`]),
    ...((own.at(-1)?.lastId ?? MIN_KEY) === indexedUpTo ? [] : [`level ${level} does not end at ${indexedUpTo}`]),
    ...(level > 0
      ? own.filter(({ startAfter }) => !starts.has(startAfter)).map((one) => `${name(one)} has no child`)
      : []),
  ];
}

/** Lists blocks that the indexer should have split. */
export const findFullBlocks = async (): Promise<string[]> => {
  const { users, blocks } = await readAll();
  return blocks
    .filter((block) => {
      const entries = block.level === 0 ? users : blocks.filter(({ level }) => level === block.level - 1);
      const ids = entries.map((entry) => (typeof entry === 'string' ? entry : entry.lastId));
      return isFull(block.level, ids.filter((id) => isInRange(id, block)).length);
    })
    .map(name);
};

const name = ({ level, startAfter }: Block) => `block ${startAfter} of level ${level}`;

async function readAll() {
  const [users, adjustments, blocks] = [[] as string[], [] as Adjustment[], [] as Block[]];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true }))
    for (const item of Items)
      if (item.sk === 'USER') users.push(parseUserId(item.pk));
      else if (item.pk === firstAdjustmentKey(0).pk) adjustments.push(parseAdjustmentKey(item.sk));
      else if (/^PAGES#\d/.test(item.pk) && item.sk !== checkpointKey.sk)
        blocks.push(parseBlock(Number(item.pk.slice('PAGES#'.length)), item));
  return { users, adjustments, blocks: blocks.sort((a, b) => (a.startAfter < b.startAfter ? -1 : 1)) };
}
