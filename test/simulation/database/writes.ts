import { parseCondition } from './conditions.ts';
import { conditionFailed } from './errors.ts';
import { type Input, readAttributes } from './reads.ts';
import { type Key, latest, readKey, type Store } from './store.ts';
import { parseUpdate } from './updates.ts';
import { type Item, isSameItem } from './values.ts';

export type Write = { key: Key; item: Item | undefined };

/** What a write leaves of its item. Throws where its condition fails. */
export function prepare(store: Store, operation: string, input: Input): Write & { before: Item | undefined } {
  const key = readKey(input.Item ?? input.Key ?? {});
  const stored = store.find(key);
  const before = stored && latest(stored);
  const { ConditionExpression: condition } = input;
  if (condition && !parseCondition(condition)(before, readAttributes(input)))
    throw conditionFailed(input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' ? before : undefined);
  return { key, before, item: createResult(operation, input, before) };
}

function createResult(operation: string, input: Input, before: Item | undefined): Item | undefined {
  if (operation.startsWith('Put')) return input.Item;
  if (operation.startsWith('Delete')) return undefined;
  if (operation === 'ConditionCheck' || !input.UpdateExpression) return before ?? input.Key;
  return parseUpdate(input.UpdateExpression)(before ?? { ...input.Key }, readAttributes(input));
}

/** PutItem, UpdateItem, DeleteItem. */
export function write(store: Store, operation: string, input: Input, at: number, by: string) {
  const prepared = prepare(store, operation, input);
  store.commit([prepared], at, by);
  const { before, item } = prepared;
  const changed = (from: Item = {}, other: Item = {}) =>
    Object.fromEntries(
      Object.entries(from).filter(([name, value]) => !isSameItem({ value }, { value: other[name] ?? {} })),
    );
  const Attributes = {
    ALL_OLD: before,
    ALL_NEW: item,
    UPDATED_OLD: before && changed(before, item),
    UPDATED_NEW: changed(item, before),
  }[input.ReturnValues ?? ''];
  return Attributes ? { Attributes } : {};
}
