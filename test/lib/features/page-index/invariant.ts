import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { TableName, table } from '../../../../lib/dynamodb/client.ts';
import { parseUserId } from '../../../../lib/dynamodb/keys.ts';
import {
  type Block,
  isInRange,
  LEVELS,
  MIN_KEY,
  parseBlock,
  takeContiguous,
} from '../../../../lib/features/page-index/blocks.ts';
import { readCheckpoint } from '../../../../lib/features/page-index/checkpoint.ts';
import { checkpointKey, parseTombstoneKey, tombstoneKey } from '../../../../lib/features/page-index/keys.ts';

/**
 * Tells what is wrong with the page index; it is empty when its invariant holds: a block's `count` is the number of users ever
 * created in its range, less those with a tombstone up to its `countedUpTo`; the blocks of each level follow one
 * another, parents end where their children do, and all tombstones up to `foldedUpTo` are in the blocks. It needs all tombstones
 * that were ever written.
 */
export async function findViolations(): Promise<string[]> {
  const { users, tombstones, blocks } = await readAll();
  const { foldedUpTo, indexedUpTo } = await readCheckpoint();
  const created = new Set([...users, ...tombstones.map(({ id }) => id)]);
  const counts = blocks.flatMap((block) => {
    const own = tombstones.filter(({ id }) => isInRange(id, block));
    const contained = own.filter(({ time }) => time <= block.countedUpTo).length;
    const expected = [...created].filter((id) => isInRange(id, block)).length - contained;
    const isFolded = own.every(({ time }) => time <= block.countedUpTo || time > foldedUpTo);
    return [
      ...(expected === block.count ? [] : [`${name(block)} counts ${block.count} instead of ${expected}`]),
      ...(isFolded ? [] : [`${name(block)} lacks tombstones up to ${foldedUpTo}`]),
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

const name = ({ level, startAfter }: Block) => `block ${startAfter} of level ${level}`;

async function readAll() {
  const [users, tombstones, blocks] = [[] as string[], [] as { id: string; time: number }[], [] as Block[]];
  for await (const { Items = [] } of paginateScan({ client: table }, { TableName, ConsistentRead: true }))
    for (const item of Items)
      if (item.sk === 'USER') users.push(parseUserId(item.pk));
      else if (item.pk === tombstoneKey(0).pk) tombstones.push(parseTombstoneKey(item.sk));
      else if (/^PAGES#\d/.test(item.pk) && item.sk !== checkpointKey.sk)
        blocks.push(parseBlock(Number(item.pk.slice('PAGES#'.length)), item));
  return { users, tombstones, blocks: blocks.sort((a, b) => (a.startAfter < b.startAfter ? -1 : 1)) };
}
