import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import { TableName, table } from '../../dynamodb/client.ts';
import { updateItemIf } from '../../dynamodb/conditional.ts';
import { environment } from '../../environment.ts';
import { type Block, MIN_KEY, parseBlock, TOP_LEVEL } from './blocks.ts';
import { checkpointKey } from './keys.ts';
import { REPLICATION_MS } from './timing.ts';

/** The newest block of a level; `size` is its number of users in level 0, of blocks above. */
export type OpenBlock = { startAfter: string; size: number };

const stored = z.object({
  /** The last id that is in the blocks. */
  indexedUpTo: z._default(z.string(), MIN_KEY),
  /** All adjustments up to this time whose users are indexed are in the blocks. 0: there is no checkpoint yet. */
  foldedUpTo: z._default(z.number(), 0),
  /** The times that `foldedUpTo` has had, and since when. They are kept while replicas may still show blocks of them. */
  folds: z._default(z.array(z.object({ upTo: z.number(), at: z.number() })), []),
  openBlocks: z._default(z.array(z.object({ startAfter: z.string(), size: z.number() })), []),
  /** Users up to this id were verified after `VERIFY_AFTER_MS`. */
  verifiedUpTo: z._default(z.string(), MIN_KEY),
  /** The block of level 1 that was verified last in turn starts here. */
  lastVerified: z._default(z.string(), MIN_KEY),
  /** Set while the blocks are being deleted: no indexer may write. Each rebuild has another value. */
  rebuildId: z.optional(z.string()),
});

export type Checkpoint = z.infer<typeof stored>;

/** The read is consistent. */
export async function readCheckpoint(): Promise<Checkpoint> {
  const { Item = {} } = await table.send(new GetCommand({ TableName, Key: checkpointKey, ConsistentRead: true }));
  return stored.parse(Item);
}

/** The blocks of the top level, and up to when adjustments are folded. The checkpoint stands beside them for this query. */
export async function readTopLevel(ConsistentRead = false): Promise<{ blocks: Block[]; foldedUpTo: number }> {
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
  // If there are no blocks, there is nothing to fold into. The blocks of the indexer's first transaction may be visible before the checkpoint.
  const foldedUpTo = Math.min(...blocks.map((block) => block.countedUpTo));
  return {
    blocks,
    foldedUpTo: checkpoint && blocks.length > 0 ? readReplicatedFold(stored.parse(checkpoint)) : foldedUpTo,
  };
}

/** All replicas show blocks that contain the adjustments up to this time. */
function readReplicatedFold({ folds, foldedUpTo }: Checkpoint): number {
  const replicated = folds.findLast(({ at }) => at <= environment.now() - REPLICATION_MS) ?? folds[0];
  return replicated?.upTo ?? foldedUpTo;
}

/** The checkpoint after a fold that ended now. */
export function addFold(read: Checkpoint, upTo: number, now: number): Checkpoint {
  const replicated = read.folds.findLastIndex(({ at }) => at <= now - 2 * REPLICATION_MS);
  return { ...read, foldedUpTo: upTo, folds: [...read.folds.slice(Math.max(0, replicated)), { upTo, at: now }] };
}

type Progress = Pick<Checkpoint, 'indexedUpTo' | 'foldedUpTo' | 'folds' | 'openBlocks'>;

/** Moves the checkpoint, unless another indexer has moved it since it was read. */
export const advance = (read: Checkpoint, { indexedUpTo, foldedUpTo, folds, openBlocks }: Progress) => ({
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
    ...(read.foldedUpTo === 0 ? {} : { ':indexedUpToRead': read.indexedUpTo, ':foldedUpToRead': read.foldedUpTo }),
  },
});

const UNCHANGED = 'indexedUpTo = :indexedUpToRead AND foldedUpTo = :foldedUpToRead AND attribute_not_exists(rebuildId)';

/** An indexer may move the checkpoint at the same time. A cursor that is lost only makes verification go back. */
export const saveVerified = (cursor: Partial<Pick<Checkpoint, 'verifiedUpTo' | 'lastVerified'>>): Promise<boolean> =>
  updateItemIf({
    Key: checkpointKey,
    UpdateExpression: `SET ${Object.keys(cursor)
      .map((name) => `${name} = :${name}`)
      .join(', ')}`,
    ConditionExpression: 'attribute_exists(foldedUpTo)',
    ExpressionAttributeValues: Object.fromEntries(Object.entries(cursor).map(([name, value]) => [`:${name}`, value])),
  });
