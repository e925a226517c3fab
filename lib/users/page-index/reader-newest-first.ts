import { readBlocks } from './block-store.ts';
import { type Block, countLive, sumLive, takeContiguous } from './blocks.ts';
import type { Indexed, PageStart } from './reader.ts';
import type { Tombstone } from './tombstones.ts';

/** Where the page starts that has `offset` users before it, newest first. `tail` are the users that no block counts. */
export async function findStartFromNewest(
  { blocks, tombstones, indexedUpTo }: Indexed,
  tail: string[],
  offset: number,
): Promise<Omit<PageStart, 'deleted'>> {
  if (offset <= tail.length) return { startAfter: tail.at(-offset), offset: 0 };
  let position = findFromEnd(blocks, tombstones, { lastId: indexedUpTo, offset: offset - tail.length });
  while (position.block && position.block.level > 0)
    position = findInChildren(position.block, await readChildren(position.block), tombstones, position.offset);
  return { startAfter: undefined, lastId: position.lastId, offset: position.offset };
}

/** `offset` users before the end of the range that ends at `lastId`. Without `block`, no block of that range is known. */
type Position = { lastId: string; offset: number; block?: Block };

/** The children that lie in the block: the newest may have grown since the block was read. */
const readChildren = async (block: Block): Promise<Block[]> =>
  takeContiguous(await readBlocks(block.level - 1, block), block.startAfter).filter(
    ({ lastId }) => lastId <= block.lastId,
  );

function findInChildren(block: Block, children: Block[], tombstones: Tombstone[], offset: number): Position {
  // The users after the last of these children, where it does not end with the block.
  const rest = countLive(block, tombstones) - sumLive(children, tombstones);
  if (offset < rest) return { lastId: block.lastId, offset };
  return findFromEnd(children, tombstones, { lastId: block.startAfter, offset: offset - rest });
}

/** The block that holds the user at the offset, counted from the end of the blocks; else what lies before the first. */
function findFromEnd(blocks: Block[], tombstones: Tombstone[], { lastId, offset }: Position): Position {
  let left = offset;
  for (const block of blocks.toReversed()) {
    const live = countLive(block, tombstones);
    if (left < live) return { lastId: block.lastId, offset: left, block };
    left -= live;
  }
  return { lastId: blocks[0]?.startAfter ?? lastId, offset: left };
}
