import { TableName } from '../../dynamodb/client.ts';
import { type TransactItem, transact } from '../../dynamodb/transact.ts';
import { environment } from '../../environment.ts';
import { minUuidAt } from '../../input/uuidv7.ts';
import type { HasTimeLeft } from '../../maintenance/run.ts';
import { sizes } from '../../sizes.ts';
import { queryUserIds } from '../../users/directory.ts';
import { type Adjustment, findLastChanges, readAdjustments, sumDeltas } from './adjustments.ts';
import { type BlockRange, encodeLastId, isInRange, LEVELS } from './blocks.ts';
import { type Checkpoint, checkpointUpdate, type OpenBlock, readCheckpoint } from './checkpoint.ts';
import type { CycleStatus } from './fold.ts';
import { blockKey } from './keys.ts';
import { GSI_LAG_MS, SETTLING_MS, VISIBILITY_MS } from './timing.ts';

type Appended = { indexed: number; outcome: CycleStatus };

/** Adds settled users to the blocks. Call it after all settled adjustments are folded. */
export async function appendUsers(hasTimeLeft: HasTimeLeft): Promise<Appended> {
  let checkpoint = await readCheckpoint();
  const { indexedUpTo, foldedUpTo, rebuildId } = checkpoint;
  const settled = { startAfter: indexedUpTo, lastId: minUuidAt(environment.now() - SETTLING_MS) };
  if (rebuildId !== undefined || indexedUpTo >= settled.lastId) return { indexed: 0, outcome: 'complete' };
  const listed = await queryUserIds(settled, sizes.indexedUsers);
  if (listed.length === 0) return { indexed: 0, outcome: 'complete' };
  // After this pause, the tombstone of each deleted user that `listed` lacks is visible.
  await environment.pause(VISIBILITY_MS);
  const { adjustments, isComplete } = await readAdjustments({ after: foldedUpTo - GSI_LAG_MS });
  if (!isComplete) return { indexed: 0, outcome: 'partial' };
  const range = listed.length < sizes.indexedUsers ? settled : { ...settled, lastId: listed.at(-1) ?? indexedUpTo };
  const ids = selectCounted(listed, range, adjustments, foldedUpTo);
  const batchSize = countUsersPerBatch();
  let indexed = 0;
  while (indexed < ids.length) {
    const batch = ids.slice(indexed, indexed + batchSize);
    const next = await commitBatch(checkpoint, batch);
    if (!next) return { indexed, outcome: 'conflict' };
    checkpoint = next;
    indexed += batch.length;
    if (!hasTimeLeft()) break;
  }
  return { indexed, outcome: indexed < ids.length || listed.length === sizes.indexedUsers ? 'partial' : 'complete' };
}

/**
 * Selects the users that a block with this `countedUpTo` must count. Stops before the first user with an unclear last
 * change.
 */
export function selectCounted(
  listed: string[],
  range: BlockRange,
  adjustments: Adjustment[],
  countedUpTo: number,
): string[] {
  const ids = new Set(listed);
  const inRange = adjustments.filter(({ id }) => isInRange(id, range));
  const later = Map.groupBy(
    inRange.filter(({ time }) => time > countedUpTo),
    ({ id }) => id,
  );
  const unclear: string[] = [];
  for (const [id, change] of findLastChanges(inRange)) {
    // Undo the later adjustments, because readers add them to the count.
    const isCounted = (change === 'returned' ? 1 : 0) - sumDeltas(later.get(id) ?? []) > 0;
    if (change === 'unclear') unclear.push(id);
    else if (isCounted) ids.add(id);
    else ids.delete(id);
  }
  return [...ids].sort().filter((id) => unclear.every((other) => id < other));
}

/** Undefined if another indexer was faster, or if the blocks differ from the checkpoint. */
async function commitBatch(read: Checkpoint, ids: string[]): Promise<Checkpoint | undefined> {
  const { deltas, openBlocks } = planBatch(ids, read.openBlocks, read.indexedUpTo);
  const next = { ...read, indexedUpTo: ids.at(-1) ?? read.indexedUpTo, openBlocks };
  const blocks = deltas.map((delta) => [`${delta.level} ${delta.startAfter}`, blockItem(delta, read)] as const);
  const { failures } = await transact({
    checkpoint: { Update: checkpointUpdate(read, next) },
    ...Object.fromEntries(blocks),
  });
  if (!failures) return next;
  if (!('checkpoint' in failures))
    console.warn({ event: 'page blocks differ from the checkpoint', blocks: Object.keys(failures) });
  return undefined;
}

/**
 * Raises `countedUpTo` of the block to `foldedUpTo`: the fold has added all adjustments up to then. If an unfinished
 * fold has raised it further, the condition fails until the next fold.
 */
function blockItem({ level, startAfter, lastId, count, isNew }: BlockDelta, read: Checkpoint): TransactItem {
  const end = { lastId: encodeLastId(lastId), countedUpTo: read.foldedUpTo };
  if (isNew)
    return {
      Put: {
        TableName,
        Item: { ...blockKey(level, startAfter), count, ...end },
        ConditionExpression: 'attribute_not_exists(pk)',
      },
    };
  return {
    Update: {
      TableName,
      Key: blockKey(level, startAfter),
      UpdateExpression: 'SET lastId = :lastId, countedUpTo = :countedUpTo ADD #count :added',
      ConditionExpression: 'lastId = :lastIdRead AND countedUpTo <= :countedUpTo',
      ExpressionAttributeNames: { '#count': 'count' },
      ExpressionAttributeValues: {
        ':lastId': end.lastId,
        ':countedUpTo': end.countedUpTo,
        ':lastIdRead': encodeLastId(read.indexedUpTo),
        ':added': count,
      },
    },
  };
}

type BlockDelta = BlockRange & { level: number; count: number; isNew: boolean };

function countUsersPerBatch(): number {
  const { users, blocks } = sizes.fanout;
  const blocksPerUser = LEVELS.reduce((sum, level) => sum + 1 / (users * blocks ** level), 0);
  return Math.floor(sizes.blocksPerBatch / blocksPerUser);
}

/**
 * `size`: entries of the newest block (users at level 0, else child blocks). `deltas`: changes to the newest stored
 * block, then the new blocks of the batch.
 */
type Level = { size: number; deltas: BlockDelta[] };

function planBatch(ids: string[], openBlocks: OpenBlock[], indexedUpTo: string) {
  const levels: Level[] = LEVELS.map((level) => {
    const open = openBlocks[level];
    // Like a full block: the first user starts a new one.
    if (!open) return { size: Number.POSITIVE_INFINITY, deltas: [] };
    const { startAfter, size } = open;
    return { size, deltas: [{ level, startAfter, lastId: indexedUpTo, count: 0, isNew: false }] };
  });
  let lastId = indexedUpTo;
  for (const id of ids) {
    countEntry(levels, lastId);
    for (const { deltas } of levels) {
      const newest = deltas.at(-1);
      if (!newest) continue;
      newest.count++;
      newest.lastId = id;
    }
    lastId = id;
  }
  return {
    // Drops the newest stored block if it is full, because it receives no users.
    deltas: levels.flatMap(({ deltas }) => deltas.filter(({ count }) => count > 0)),
    openBlocks: levels.map(({ size, deltas }) => ({ startAfter: deltas.at(-1)?.startAfter ?? '', size })),
  };
}

/** Counts a user at level 0. If the newest block is full, starts another, which counts as an entry one level above. */
function countEntry(levels: Level[], startAfter: string): void {
  for (const [at, level] of levels.entries()) {
    const maxSize = at === 0 ? sizes.fanout.users : sizes.fanout.blocks;
    if (level.size < maxSize) {
      level.size++;
      return;
    }
    level.size = 1;
    level.deltas.push({ level: at, startAfter, lastId: startAfter, count: 0, isNew: true });
  }
}
