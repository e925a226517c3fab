import { unavailable } from '../../errors.ts';
import { queryUserIds, type StartAfter } from '../../users/directory.ts';
import { AdjustmentsById, listDeleted, readPendingAdjustments } from './adjustments.ts';
import {
  type Block,
  type BlockRange,
  countLive,
  MIN_KEY,
  readBlocks,
  sumLive,
  TOP_LEVEL,
  takeContiguous,
} from './blocks.ts';
import { readTopLevel } from './checkpoint.ts';

/** A page starts `offset` users after `startAfter`; those known to be `deleted` may still be in the directory. */
export type PageStart = { startAfter: StartAfter; offset: number; deleted: ReadonlySet<string> };

export type PageIndex = ReturnType<typeof openPageIndex>;

/** If more users than this are not indexed yet, counting them takes too long and costs too much. */
const MAX_TAIL = 50_000;

type Indexed = { blocks: Block[]; indexedUpTo: string; adjustments: AdjustmentsById; deleted: ReadonlySet<string> };

/**
 * The directory by numbers. One request opens it once, as it keeps what it has read. Right whatever the indexer has
 * done; throws SERVICE_UNAVAILABLE when too many users are not indexed. `onRead` gets the number of items as they are read to count
 * users, and stops the reading if it throws.
 */
export function openPageIndex(onRead: (items: number) => void = () => {}) {
  let reading: Promise<Indexed> | undefined;
  let readingTail: Promise<string[]> | undefined;
  const indexed = () => (reading ??= readIndexed(onRead));
  const tail = () => (readingTail ??= indexed().then((all) => readTail(all, onRead)));
  return {
    /** Counts the users. */
    async count(): Promise<number> {
      const [{ blocks, adjustments }, ids] = await Promise.all([indexed(), tail()]);
      return sumLive(blocks, adjustments) + ids.length;
    },

    /** Finds where the page starts that has `offset` older users before it. */
    async findStart(offset: number): Promise<PageStart> {
      const { blocks, adjustments, deleted } = await indexed();
      if (offset === 0) return { startAfter: undefined, offset, deleted };
      const top = findChild(blocks, adjustments, { startAfter: MIN_KEY, offset });
      if (!top.range) return { ...skipTail(await tail(), top), deleted };
      return { ...(await descend(top, adjustments)), deleted };
    },
  };
}

async function readIndexed(onRead: (items: number) => void): Promise<Indexed> {
  const topLevel = readTopLevel();
  const [{ blocks }, adjustments] = await Promise.all([topLevel, readPendingAdjustments(topLevel)]);
  onRead(blocks.length + adjustments.length);
  const contiguous = takeContiguous(blocks, MIN_KEY);
  return {
    blocks: contiguous,
    indexedUpTo: contiguous.at(-1)?.lastId ?? MIN_KEY,
    adjustments: new AdjustmentsById(adjustments),
    deleted: listDeleted(adjustments),
  };
}

/** The users that no block counts. */
async function readTail({ indexedUpTo, deleted }: Indexed, onRead: (items: number) => void): Promise<string[]> {
  const ids = await queryUserIds({ startAfter: indexedUpTo }, MAX_TAIL + 1, onRead);
  if (ids.length > MAX_TAIL) throw unavailable();
  return ids.filter((id) => !deleted.has(id));
}

/** If there is no `range`, the page is in what follows `startAfter`, of which no block is known. */
type PagePosition = { startAfter: string; offset: number; range?: BlockRange };

async function descend(top: PagePosition, adjustments: AdjustmentsById): Promise<Omit<PageStart, 'deleted'>> {
  let position = top;
  for (let level = TOP_LEVEL - 1; level >= 0 && position.range; level--) {
    const children = takeContiguous(await readBlocks(level, position.range), position.startAfter);
    position = findChild(children, adjustments, position);
  }
  return { startAfter: position.startAfter, offset: position.offset };
}

/** The block that holds the user at the offset; else what follows the last of them. */
function findChild(blocks: Block[], adjustments: AdjustmentsById, { startAfter, offset }: PagePosition): PagePosition {
  let left = offset;
  for (const block of blocks) {
    const live = countLive(block, adjustments);
    if (left < live) return { startAfter: block.startAfter, offset: left, range: block };
    left -= live;
  }
  return { startAfter: blocks.at(-1)?.lastId ?? startAfter, offset: left };
}

/** The tail has been read, so nothing is skipped by reading. */
function skipTail(ids: string[], { startAfter, offset }: PagePosition): Omit<PageStart, 'deleted'> {
  const skipped = ids.slice(0, offset);
  return { startAfter: skipped.at(-1) ?? startAfter, offset: offset - skipped.length };
}
