import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { TableName, table } from '../../dynamodb/client.ts';
import { writeIf } from '../../dynamodb/conditional.ts';
import { environment } from '../../environment.ts';
import { type Block, MIN_KEY, parseBlock, TOP_LEVEL } from './blocks.ts';
import { checkpointKey } from './keys.ts';
import { REPLICATION_MS } from './timing.ts';

export type OpenBlock = { startAfter: string; size: number };

const stored = z.object({
  indexedUpTo: z._default(z.string(), MIN_KEY),
  /** Blocks contain all adjustments of indexed users up to this time. 0 without a checkpoint. */
  foldedUpTo: z._default(z.number(), 0),
  /** Earlier values of `foldedUpTo`, kept while replicas may show blocks of that time. */
  folds: z._default(z.array(z.object({ upTo: z.number(), at: z.number() })), []),
  openBlocks: z._default(z.array(z.object({ startAfter: z.string(), size: z.number() })), []),
  /** Users up to this id were verified after `VERIFY_AFTER_MS`. */
  verifiedUpTo: z._default(z.string(), MIN_KEY),
  /** Start of the last block that the rotation through all blocks has verified. */
  lastVerified: z._default(z.string(), MIN_KEY),
  /** Set while a rebuild deletes the blocks: no indexer may write. */
  rebuildId: z.optional(z.string()),
});

export type Checkpoint = z.infer<typeof stored>;

/** Reads consistently. */
export async function readCheckpoint(): Promise<Checkpoint> {
  const { Item = {} } = await table.send(new GetCommand({ TableName, Key: checkpointKey, ConsistentRead: true }));
  return stored.parse(Item);
}

export async function readTopLevel({ ConsistentRead = false } = {}): Promise<{ blocks: Block[]; foldedUpTo: number }> {
  const query = {
    TableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': checkpointKey.pk },
    ConsistentRead,
  };
  const items: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) items.push(...Items);
  const isBlock = ({ sk }: Record<string, unknown>) => sk !== checkpointKey.sk;
  const blocks = items.filter(isBlock).map((item) => parseBlock(TOP_LEVEL, item));
  const checkpoint = items.find((item) => !isBlock(item));
  if (blocks.length === 0) return { blocks, foldedUpTo: Number.POSITIVE_INFINITY }; // Nothing needs folding.
  // The blocks of the first transaction may be visible before its checkpoint.
  if (!checkpoint) return { blocks, foldedUpTo: Math.min(...blocks.map((block) => block.countedUpTo)) };
  return { blocks, foldedUpTo: findReplicatedFold(stored.parse(checkpoint)) };
}

function findReplicatedFold({ folds, foldedUpTo }: Checkpoint): number {
  const replicated = folds.findLast(({ at }) => at <= environment.now() - REPLICATION_MS) ?? folds[0];
  return replicated?.upTo ?? foldedUpTo;
}

export function addFold(read: Checkpoint, upTo: number, now: number): Checkpoint {
  const replicated = read.folds.findLastIndex(({ at }) => at <= now - 2 * REPLICATION_MS);
  return { ...read, foldedUpTo: upTo, folds: [...read.folds.slice(Math.max(0, replicated)), { upTo, at: now }] };
}

type Progress = Pick<Checkpoint, 'indexedUpTo' | 'foldedUpTo' | 'folds' | 'openBlocks'>;

const UNCHANGED =
  'indexedUpTo = :indexedUpToRead AND foldedUpTo = :foldedUpToRead AND openBlocks = :openBlocksRead AND attribute_not_exists(rebuildId)';

/** The condition fails if another indexer has moved the checkpoint. */
export const checkpointUpdate = (read: Checkpoint, { indexedUpTo, foldedUpTo, folds, openBlocks }: Progress) => ({
  TableName,
  Key: checkpointKey,
  UpdateExpression:
    'SET indexedUpTo = :indexedUpTo, foldedUpTo = :foldedUpTo, folds = :folds, openBlocks = :openBlocks',
  ConditionExpression: read.foldedUpTo === 0 ? 'attribute_not_exists(pk)' : UNCHANGED,
  ExpressionAttributeValues: {
    ':indexedUpTo': indexedUpTo,
    ':foldedUpTo': foldedUpTo,
    ':folds': folds,
    ':openBlocks': openBlocks,
    ...(read.foldedUpTo === 0
      ? {}
      : {
          ':indexedUpToRead': read.indexedUpTo,
          ':foldedUpToRead': read.foldedUpTo,
          ':openBlocksRead': read.openBlocks,
        }),
  },
});

/** Saves the cursor even if a parallel run has moved it: verification then only repeats some blocks. */
export const saveVerified = (cursor: 'verifiedUpTo' | 'lastVerified', id: string) =>
  writeIf('Update', {
    Key: checkpointKey,
    UpdateExpression: `SET ${cursor} = :id`,
    ConditionExpression: 'attribute_exists(foldedUpTo)',
    ExpressionAttributeValues: { ':id': id },
  });
