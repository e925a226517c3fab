import { GetCommand } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { checkpointKey } from '../../dynamodb/keys.ts';
import { TableName, table } from '../../dynamodb/client.ts';
import type { TransactItem } from '../../dynamodb/transactions.ts';
import { FIRST, LEVELS } from './blocks.ts';

/**
 * How far the index goes.
 * - `reached`: the last id that is counted.
 * - `removals`: how many users behind that were deleted before they were counted.
 * - `levels`: of each level the starts of the blocks that the last step wrote to, and what is in the newest of them
 *   (users in level 0, blocks above). A query may miss blocks that are only just being written; this cannot.
 * - `mends`: how many counts were mended, and `recounted`: the block of level 1 that was recounted last.
 */
export type Checkpoint = z.infer<typeof stored>;

const stored = z.object({
  reached: z.string().default(FIRST),
  removals: z.number().default(0),
  levels: z
    .array(z.object({ blocks: z.array(z.string()), size: z.number() }))
    .default(() => LEVELS.map(() => ({ blocks: [], size: 0 }))),
  mends: z.number().default(0),
  recounted: z.string().default(FIRST),
});

/** The latest. Before the first step it stands before the first user. */
export async function readCheckpoint(): Promise<Checkpoint> {
  const { Item = {} } = await table.send(new GetCommand({ TableName, Key: checkpointKey, ConsistentRead: true }));
  return stored.parse(Item);
}

/** Moves the checkpoint on, unless another run or an early delete has come between. */
export const advance = (read: Checkpoint, { reached, removals, levels }: Checkpoint): TransactItem => ({
  Update: {
    TableName,
    Key: checkpointKey,
    UpdateExpression: 'SET reached = :reached, removals = :removals, levels = :levels',
    ConditionExpression: `${unmoved} AND (attribute_not_exists(removals) OR removals = :removalsRead)`,
    ExpressionAttributeValues: {
      ':reached': reached,
      ':removals': removals,
      ':levels': levels,
      ':reachedRead': read.reached,
      ':removalsRead': read.removals,
    },
  },
});

const unmoved = '(attribute_not_exists(reached) OR reached = :reachedRead)';

/** Counts the delete of a user that is not indexed yet; refused when it is by now. */
export const countRemoval = (id: string): TransactItem => ({
  Update: {
    TableName,
    Key: checkpointKey,
    UpdateExpression: 'ADD removals :one',
    ConditionExpression: 'attribute_not_exists(reached) OR reached < :id',
    ExpressionAttributeValues: { ':one': 1, ':id': id },
  },
});

/** Lets one mend through, and none while the indexer moves. */
export const countMend = (read: Checkpoint): TransactItem => ({
  Update: {
    TableName,
    Key: checkpointKey,
    UpdateExpression: 'SET mends = :mends',
    ConditionExpression: `${unmoved} AND (attribute_not_exists(mends) OR mends = :mendsRead)`,
    ExpressionAttributeValues: { ':mends': read.mends + 1, ':mendsRead': read.mends, ':reachedRead': read.reached },
  },
});
