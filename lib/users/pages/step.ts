import type { Write } from '../../table.ts';
import { addUsers, addUsersOnTop } from './block-writes.ts';
import { type Sizes, TOP } from './blocks.ts';
import { advance, type Checkpoint } from './checkpoint.ts';

/** A level as a step leaves it: what its newest block is filled with, and what is added to which blocks, in order. */
type Level = { size: number; blocks: { behind: string; added: number }[] };

/**
 * The writes that move the index over the users `ids`, who follow one another behind the checkpoint. `removed` are the
 * ids of all removals that the checkpoint counts; such users are passed over.
 */
export function stepOver(ids: string[], removed: string[], from: Checkpoint, sizes: Sizes): Write[] {
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

function writesOf({ blocks }: Level, level: number, reached: string): Write[] {
  if (level !== TOP) return blocks.map(({ behind, added }) => addUsers(level, behind, added));
  return blocks.map(({ behind, added }, at) =>
    addUsersOnTop(behind, added, at === blocks.length - 1 ? reached : undefined),
  );
}

function count(ids: string[], from: Checkpoint, sizes: Sizes): Level[] {
  const levels = from.levels.map(({ size, blocks }) => ({
    size,
    blocks: blocks.slice(-1).map((behind) => ({ behind, added: 0 })),
  }));
  let last = from.reached;
  for (const id of ids) {
    if (levels[0]?.size === sizes.users) open(levels, last, sizes);
    if (levels[0]) levels[0].size++;
    for (const newest of levels.flatMap(({ blocks }) => blocks.slice(-1))) newest.added++;
    last = id;
  }
  return levels;
}

/** Starts a block in the lowest of the levels, and in those above as far as the one below has filled them. */
function open([level, ...above]: Level[], behind: string, sizes: Sizes): void {
  if (!level) return;
  if (above[0]?.size === sizes.blocks) open(above, behind, sizes);
  if (above[0]) above[0].size++;
  level.size = 0;
  level.blocks.push({ behind, added: 0 });
}
