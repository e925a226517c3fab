import DataLoader from 'dataloader';
import { getItems, MAX_BATCH_GET } from '../dynamodb/batches.ts';
import type { Key } from '../dynamodb/keys.ts';
import type { ReadBudget } from './read-budget.ts';

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
    { maxBatchSize: MAX_BATCH_GET },
  );

async function readBatch<Entity extends { id: string }>(
  ids: readonly string[],
  { toKey, parse }: Omit<EntityReader<Entity>, 'find'>,
): Promise<(Entity | undefined)[]> {
  const keys = ids.map(toKey).filter((key) => key !== undefined);
  const entities = (await getItems(keys, { ConsistentRead: true })).map(parse);
  const found = new Map(entities.map((entity) => [entity.id, entity]));
  return ids.map((id) => found.get(id));
}
