import { incomplete } from '../../errors.ts';
import { queryUserIds, type StartAfter } from '../../users/directory.ts';
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

/** Maximum unindexed users: reading more would take too long and cost too much. */
const MAX_TAIL = 50_000;

type Indexed = { blocks: Block[]; indexedUpTo: string; adjustments: AdjustmentsById; deleted: ReadonlySet<string> };

/**
 * Open once per request: caches reads. Counts and positions are correct even if the indexer lags. Throws
 * SERVICE_UNAVAILABLE if too many users are not indexed. `onRead` receives the items read, and may throw to stop.
 */
export function openPageIndex(onRead: (items: number) => void = () => {}) {
  let reading: Promise<Indexed> | undefined;
  let readingTail: Promise<string[]> | undefined;
  const indexed = () => (reading ??= readIndexed(onRead));
  const tail = () => (readingTail ??= indexed().then((all) => readTail(all, onRead)));
  return {
    async count(): Promise<number> {
      const [{ blocks, adjustments }, ids] = await Promise.all([indexed(), tail()]);
      // A lagging replica may show a deletion without the return before it.
      return Math.max(0, sumLive(blocks, adjustments) + ids.length);
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

async function readTail({ indexedUpTo, deleted }: Indexed, onRead: (items: number) => void): Promise<string[]> {
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
