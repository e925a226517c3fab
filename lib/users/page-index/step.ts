import type { TransactItem } from '../../dynamodb/transactions.ts';
import { type Added, addTo, addToTop } from './block-writes.ts';
import { FIRST, type Sizes, TOP } from './blocks.ts';
import { advance, type Checkpoint } from './checkpoint.ts';

/** A level as a step leaves it: how full its newest block is, and what was added to it and to those made, in order. */
type Level = { size: number; blocks: Added[] };

/**
 * How many users the next step may count. It either fills the newest block or adds blocks to one block of level 1, so
 * that a reader who sees only a part of what it writes can tell: no count changes that has another behind it.
 */
export function roomFor({ levels: [users, blocks] }: Checkpoint, sizes: Sizes): number {
  if (!users || !blocks || isFull(users, sizes.users))
    return (sizes.blocks - ((blocks?.size ?? 0) % sizes.blocks)) * sizes.users;
  return sizes.users - users.size;
}

/**
 * The writes that move the index over the users `ids`, who follow one another behind the checkpoint. `removed` are the
 * ids of all removals that the checkpoint counts; such users are passed over.
 */
export function stepOver(ids: string[], removed: string[], from: Checkpoint, sizes: Sizes): TransactItem[] {
  const reached = ids.at(-1) ?? from.reached;
  const gone = new Set(removed);
  const levels = count(
    ids.filter((id) => !gone.has(id)),
    from,
    sizes,
  );
  const to: Checkpoint = {
    ...from,
    reached,
    removals: removed.filter((id) => id > reached).length,
    levels: levels.map(({ size, blocks }) => ({ size, blocks: blocks.map(({ behind }) => behind) })),
  };
  return [advance(from, to), ...levels.flatMap((level, number) => writesOf(level, number, reached))];
}

function writesOf({ blocks }: Level, level: number, reached: string): TransactItem[] {
  if (level !== TOP) return blocks.map((block) => addTo(level, block));
  return blocks.map((block, at) => addToTop(block, at === blocks.length - 1 ? reached : undefined));
}

function count(ids: string[], from: Checkpoint, sizes: Sizes): Level[] {
  const levels = from.levels.map(({ size, blocks }) => ({
    size,
    blocks: blocks.slice(-1).map((behind) => ({ behind, users: 0, parts: 0 })),
  }));
  let last = levels[0]?.blocks.length ? from.reached : FIRST;
  for (const id of ids) {
    if (isFull(levels[0], sizes.users)) open(levels, last, sizes);
    if (levels[0]) levels[0].size++;
    for (const newest of levels.flatMap(({ blocks }) => blocks.slice(-1))) newest.users++;
    last = id;
  }
  return levels;
}

/** So is a level that has no block yet. */
const isFull = (level: { size: number; blocks: unknown[] } | undefined, size: number) =>
  level !== undefined && (level.blocks.length === 0 || level.size >= size);

/** Starts a block in the lowest of the levels, and in those above as far as the one below has filled them. */
function open([level, above, ...rest]: Level[], behind: string, sizes: Sizes): void {
  if (!level) return;
  if (isFull(above, sizes.blocks))
    open(
      [above, ...rest].filter((one) => one !== undefined),
      behind,
      sizes,
    );
  const parent = above?.blocks.at(-1);
  if (above && parent) {
    above.size++;
    parent.parts++;
  }
  level.size = 0;
  level.blocks.push({ behind, users: 0, parts: 0 });
}
