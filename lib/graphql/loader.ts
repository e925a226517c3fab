import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import DataLoader from 'dataloader';
import type { Key } from '../dynamodb/keys.ts';
import { TableName, table } from '../dynamodb/client.ts';
import { retryOnConflict } from '../dynamodb/retry.ts';

/** DynamoDB's most keys in one BatchGetItem. */
const MAX_KEYS = 100;

/** How entities of one kind are read; each gives undefined for an id that names none, whatever its form. */
type Reading<Entity> = {
  find(id: string): Promise<Entity | undefined>;
  keyOf(id: string): Key | undefined;
  parse(item: unknown): Entity;
};

/** Reads each entity once a request, and those that are asked for together in one batch. */
export const createLoader = <Entity extends { id: string }>({ find, ...batch }: Reading<Entity>) =>
  new DataLoader<string, Entity | undefined>(
    async (ids) => {
      const [only, ...others] = ids;
      return only !== undefined && others.length === 0 ? [await find(only)] : readBatch(ids, batch);
    },
    { maxBatchSize: MAX_KEYS },
  );

async function readBatch<Entity extends { id: string }>(
  ids: readonly string[],
  { keyOf, parse }: Omit<Reading<Entity>, 'find'>,
): Promise<(Entity | undefined)[]> {
  const found = new Map<string, Entity>();
  let Keys = ids.map(keyOf).filter((key) => key !== undefined);
  await retryOnConflict(async () => {
    if (Keys.length === 0) return true;
    const { Responses = {}, UnprocessedKeys = {} } = await table.send(
      new BatchGetCommand({ RequestItems: { [TableName]: { Keys, ConsistentRead: true } } }),
    );
    for (const entity of (Responses[TableName] ?? []).map(parse)) found.set(entity.id, entity);
    Keys = (UnprocessedKeys[TableName]?.Keys ?? []) as Key[]; // Some of the keys it was given.
    return Keys.length === 0 ? true : undefined;
  });
  return ids.map((id) => found.get(id));
}
