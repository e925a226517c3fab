import { incomplete } from '../../errors.ts';
import { type CreationRange, type OnRead, queryUserIds, type StartAfter } from '../../users/directory.ts';
import { listDeleted, readPendingAdjustments } from './adjustments.ts';
import {
  AdjustmentsById,
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

type PageStart = { startAfter: StartAfter; offset: number; deleted: ReadonlySet<string> };

export type PageIndex = ReturnType<typeof openPageIndex>;

/** Blocks, adjustments, or ids from the GSI, that cost at most as much as reading a user. */
const ITEMS_PER_USER = 10;

/** Maximum unindexed users: reading more would take too long and cost too much. */
const MAX_TAIL = 50_000;

type Indexed = { blocks: Block[]; indexedUpTo: string; adjustments: AdjustmentsById; deleted: ReadonlySet<string> };

/**
 * Open once per request: caches reads. Counts and positions are correct even if the indexer lags. Throws
 * SERVICE_UNAVAILABLE if too many users are not indexed.
 */
export function openPageIndex(onItems: OnRead = () => {}) {
  const onRead: OnRead = (items) => onItems(Math.max(1, items / ITEMS_PER_USER));
  let reading: Promise<Indexed> | undefined;
  let readingTail: Promise<string[]> | undefined;
  const indexed = () => (reading ??= readIndexed(onRead));
  const tail = () => (readingTail ??= indexed().then((all) => readTail(all, onRead)));

  /** Counts users with ids before `end`, by default all. */
  async function countBefore(end: string | undefined): Promise<number> {
    const { blocks, adjustments, deleted, indexedUpTo } = await indexed();
    let count = 0;
    let [level, children, startAfter] = [TOP_LEVEL, blocks, MIN_KEY];
    for (;;) {
      const whole = children.filter(({ lastId }) => end === undefined || lastId < end);
      count += sumLive(whole, adjustments);
      startAfter = whole.at(-1)?.lastId ?? startAfter;
      const parent = children[whole.length];
      if (!parent || level === 0) break;
      level--;
      onRead(1);
      children = takeContiguous(await readBlocks(level, parent), startAfter);
    }
    if (end === undefined || startAfter === indexedUpTo)
      return count + (await tail()).filter((id) => end === undefined || id < end).length;
    const ids = await queryUserIds({ startAfter, lastId: end }, undefined, onRead);
    return count + ids.filter((id) => id < end && !deleted.has(id)).length;
  }

  return {
    /** Counts users, by default all. Both ends may be the beginning of an id. */
    async count({ from, to }: CreationRange = {}): Promise<number> {
      const [start, end] = await Promise.all([from === undefined ? 0 : countBefore(from), countBefore(to)]);
      // A lagging replica may show a deletion without the return before it.
      return Math.max(0, end - start);
    },

    async findStart(offset: number): Promise<PageStart> {
      const { blocks, adjustments, deleted } = await indexed();
      if (offset === 0) return { startAfter: undefined, offset, deleted };
      const top = findChild(blocks, adjustments, { startAfter: MIN_KEY, offset });
      if (!top.range) return { ...skipTail(await tail(), top), deleted };
      return { ...(await descend(top, adjustments)), deleted };
    },
  };
}

/** Reads again if a replica shows a part of a split: counting the users after the gap would take long. */
async function readWholeTopLevel() {
  const read = await readTopLevel();
  const hasGap = takeContiguous(read.blocks, MIN_KEY).length < read.blocks.length;
  return hasGap ? readTopLevel({ ConsistentRead: true }) : read;
}

async function readIndexed(onRead: OnRead): Promise<Indexed> {
  const topLevel = readWholeTopLevel();
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

async function readTail({ indexedUpTo, deleted }: Indexed, onRead: OnRead): Promise<string[]> {
  const ids = await queryUserIds({ startAfter: indexedUpTo }, MAX_TAIL + 1, onRead);
  if (ids.length > MAX_TAIL) throw incomplete('The index of page numbers');
  return ids.filter((id) => !deleted.has(id));
}

type PagePosition = { startAfter: string; offset: number; range?: BlockRange };

async function descend(top: PagePosition, adjustments: AdjustmentsById): Promise<Omit<PageStart, 'deleted'>> {
  let position = top;
  for (let level = TOP_LEVEL - 1; level >= 0 && position.range; level--) {
    const children = takeContiguous(await readBlocks(level, position.range), position.startAfter);
    position = findChild(children, adjustments, position);
  }
  return { startAfter: position.startAfter, offset: position.offset };
}

function findChild(blocks: Block[], adjustments: AdjustmentsById, { startAfter, offset }: PagePosition): PagePosition {
  let left = offset;
  for (const block of blocks) {
    const live = countLive(block, adjustments);
    if (left < live) return { startAfter: block.startAfter, offset: left, range: block };
    left -= live;
  }
  return { startAfter: blocks.at(-1)?.lastId ?? startAfter, offset: left };
}

/** `ids`: all unindexed users (the tail), which the caller has read. */
function skipTail(ids: string[], { startAfter, offset }: PagePosition): Omit<PageStart, 'deleted'> {
  const skipped = ids.slice(0, offset);
  return { startAfter: skipped.at(-1) ?? startAfter, offset: offset - skipped.length };
}
