import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import DataLoader from 'dataloader';
import { TableName, table } from '../dynamodb/client.ts';
import type { Key } from '../dynamodb/keys.ts';
import { retryOnConflict } from '../dynamodb/retry.ts';
import type { ReadBudget } from './read-budget.ts';

/** DynamoDB's limit for one BatchGetItem. */
const MAX_KEYS = 100;

/** How to read entities of one kind. For an id that names none, `find` and `toKey` return undefined. */
type EntityReader<Entity> = {
  find(id: string): Promise<Entity | undefined>;
  toKey(id: string): Key | undefined;
  parse(item: unknown): Entity;
};

/** Reads each entity once per request, and those requested in the same tick in one batch. */
export const createEntityLoader = <Entity extends { id: string }>(
  { find, ...reader }: EntityReader<Entity>,
  budget: ReadBudget,
) =>
  new DataLoader<string, Entity | undefined>(
    async (ids) => {
      budget.spendRead(ids.length);
      const [id] = ids;
      return ids.length === 1 && id !== undefined ? [await find(id)] : readBatch(ids, reader);
    },
    { maxBatchSize: MAX_KEYS },
  );

async function readBatch<Entity extends { id: string }>(
  ids: readonly string[],
  { toKey, parse }: Omit<EntityReader<Entity>, 'find'>,
): Promise<(Entity | undefined)[]> {
  const found = new Map<string, Entity>();
  let Keys = ids.map(toKey).filter((key) => key !== undefined);
  await retryOnConflict(async () => {
    if (Keys.length === 0) return true;
    const { Responses = {}, UnprocessedKeys = {} } = await table.send(
      new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
    );
    for (const entity of (Responses[TableName] ?? []).map(parse)) found.set(entity.id, entity);
    Keys = (UnprocessedKeys[TableName]?.Keys ?? []) as Key[]; // Always some of the keys that were sent.
    return Keys.length === 0 ? true : undefined;
  });
  return ids.map((id) => found.get(id));
}
