import { countUsersAfter, type Place } from '../directory.ts';
import { type Block, FIRST, readBlocks, TOP, sumCounts } from './blocks.ts';

/** Where a page starts: `passing` users behind a place. */
export type Start = { place: Place; passing: number };

export type Pages = ReturnType<typeof pages>;

/** What is indexed: the blocks of the top level, and the place behind the last user that they count. */
type Indexed = { blocks: Block[]; end: string };

/** The directory by numbers, read once for all that one request asks of it. Right whatever the index has reached. */
export function pages() {
  let reading: Promise<Indexed> | undefined;
  const indexed = () => (reading ??= readIndexed());
  return {
    /** How many users there are. */
    async count(): Promise<number> {
      const { blocks, end } = await indexed();
      return sumCounts(blocks) + (await countUsersAfter(end));
    },
    /** Where the page starts that has `offset` users before it; behind the last user where there are fewer. */
    start: async (offset: number): Promise<Start> =>
      offset === 0 ? { place: undefined, passing: 0 } : locate(offset, await indexed()),
  };
}

/**
 * A query is no snapshot: while a step of the indexer is being written it may show one block as it was and the next as
 * it is now. Each block up to the one that says where the index ends is whole, and nothing behind that one is used.
 */
async function readIndexed(): Promise<Indexed> {
  const blocks = await readBlocks(TOP, { from: FIRST });
  const newest = blocks.findIndex(({ reached }) => reached !== undefined);
  const end = blocks[newest]?.reached;
  if (end !== undefined) return { blocks: blocks.slice(0, newest + 1), end };
  // The successor of the last block is not yet to be seen, so neither is the last block's end.
  return { blocks: blocks.slice(0, -1), end: blocks.at(-1)?.behind ?? FIRST };
}

/** From the top down: in each level the one block in which the page starts. */
async function locate(offset: number, { blocks, end }: Indexed): Promise<Start> {
  const total = sumCounts(blocks);
  if (offset >= total) return { place: end, passing: offset - total };
  let span = within(blocks, { from: FIRST, before: end, parts: blocks.length, passing: offset });
  for (let level = TOP - 1; level >= 0; level--) {
    const parts = await readBlocks(level, span);
    // Some of them are only just being written. Then the way to the page is longer, but not another.
    if (parts.length < span.parts) break;
    span = within(parts, span);
  }
  return { place: span.from, passing: span.passing };
}

/** The users behind `from`, up to and with `before`, how many of them are passed, and of how many parts they are. */
type Span = { from: string; before: string; passing: number; parts: number };

/** The one block of a span in which what it passes ends; the last where a count has changed since the level above. */
function within(blocks: Block[], span: Span): Span {
  let { passing } = span;
  for (const [at, { behind, users, parts }] of blocks.entries()) {
    const next = blocks[at + 1]?.behind;
    if (passing < users || next === undefined) return { from: behind, before: next ?? span.before, passing, parts };
    passing -= users;
  }
  return span;
}
