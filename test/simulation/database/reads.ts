import { tableSchema } from '../../../lib/dynamodb/keys.ts';
import { type Attributes, parseCondition, parsePath, Tokens } from './expressions.ts';
import { compareText, type Item, readKey, type Store, type View, validation } from './store.ts';

export type Input = {
  TableName: string;
  Key?: Item;
  Item?: Item;
  IndexName?: string;
  KeyConditionExpression?: string;
  FilterExpression?: string;
  ConditionExpression?: string;
  UpdateExpression?: string;
  ProjectionExpression?: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
  ExclusiveStartKey?: Item;
  ScanIndexForward?: boolean;
  ConsistentRead?: boolean;
  Select?: string;
  Limit?: number;
  ReturnValues?: string;
  ReturnValuesOnConditionCheckFailure?: string;
};

export const readAttributes = ({ ExpressionAttributeNames, ExpressionAttributeValues }: Input): Attributes => ({
  names: ExpressionAttributeNames ?? {},
  values: ExpressionAttributeValues ?? {},
});

export function getItem(store: Store, input: Input, view: View) {
  const stored = store.find(readKey(input.Key ?? {}));
  const item = stored && view(stored);
  return item ? { Item: project(item, input) } : {};
}

/** A query, or a scan where it has no key condition. */
export function query(store: Store, input: Input, view: View, itemsPerPage: number) {
  const { index } = tableSchema;
  const attributes = readAttributes(input);
  const inKeys = input.KeyConditionExpression ? parseCondition(input.KeyConditionExpression) : () => true;
  const order = (item: Item) => `${item[input.IndexName ? index.sortKey : 'pk']?.S}\n${item.sk?.S}`;
  const start = input.ExclusiveStartKey && order(input.ExclusiveStartKey);
  const forward = input.ScanIndexForward ?? true;
  const isAfterStart = (item: Item) =>
    start === undefined || (forward ? compareText(order(item), start) > 0 : compareText(order(item), start) < 0);

  const matching: Item[] = [];
  for (const stored of input.IndexName ? store.indexed : candidates(store, input)) {
    const item = view(stored);
    if (item && (!input.IndexName || item[index.partitionKey]) && inKeys(item, attributes) && isAfterStart(item))
      matching.push(item);
  }
  matching.sort((left, right) => compareText(order(left), order(right)) * (forward ? 1 : -1));
  const limit = Math.min(input.Limit ?? Number.POSITIVE_INFINITY, itemsPerPage);
  const read = matching.slice(0, limit);
  const filter = input.FilterExpression ? parseCondition(input.FilterExpression) : () => true;
  const found = read.filter((item) => filter(item, attributes));
  const last = read.at(-1);
  return {
    ...(input.Select === 'COUNT' ? {} : { Items: found.map((item) => project(item, input)) }),
    Count: found.length,
    ScannedCount: read.length,
    ...(last && read.length === limit ? { LastEvaluatedKey: projectKeys(last, input.IndexName) } : {}),
  };
}

const EQUALS = /^\(?\s*([#\w]+)\s*=\s*(:\w+)/;

function candidates(store: Store, { KeyConditionExpression, ExpressionAttributeValues }: Input) {
  if (!KeyConditionExpression) return store.all();
  for (const name of KeyConditionExpression.match(/:\w+/g) ?? [])
    if (ExpressionAttributeValues?.[name]?.S === '')
      throw validation('The AttributeValue for a key attribute cannot contain an empty string value.');
  const value = EQUALS.exec(KeyConditionExpression)?.[2];
  if (!value) throw validation(`Query condition missed key schema element: ${KeyConditionExpression}`);
  return store.partition(ExpressionAttributeValues?.[value]?.S ?? '');
}

function projectKeys({ pk = {}, sk = {}, ...item }: Item, IndexName: string | undefined): Item {
  const { partitionKey } = tableSchema.index;
  return { pk, sk, ...(IndexName ? { [partitionKey]: item[partitionKey] ?? {} } : {}) };
}

function project(item: Item, input: Input): Item {
  const { ProjectionExpression } = input;
  if (!ProjectionExpression) return item;
  const tokens = new Tokens(ProjectionExpression);
  const paths = tokens.list(() => parsePath(tokens)(readAttributes(input)));
  // Only whole attributes are asked for here, never a part of one.
  return Object.fromEntries(paths.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
}
