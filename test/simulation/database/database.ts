import { tableSchema } from '../../../lib/dynamodb/keys.ts';
import { type Attributes, parseCondition, parsePath, parseUpdate, Tokens } from './expressions.ts';
import {
  cancelled,
  compareText,
  conditionFailed,
  DatabaseError,
  type Item,
  type Key,
  latest,
  type Reason,
  readKey,
  Store,
  type View,
  validation,
} from './store.ts';

export type Write = { key: Key; item: Item | undefined };

/** Prepares a write. Throws if its condition fails. */
function prepare(store: Store, operation: string, input: Input): Write & { before: Item | undefined } {
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

export function write(store: Store, operation: string, input: Input, at: number, by: string) {
  const prepared = prepare(store, operation, input);
  store.commit([prepared], at, by);
  const { item: Attributes } = prepared;
  return input.ReturnValues === 'ALL_NEW' && Attributes ? { Attributes } : {};
}

export type Transaction = { TransactItems: Record<string, Input>[]; ClientRequestToken?: string };

/**
 * Tokens of executed transactions, valid for ten minutes:
 * https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
 */
export type KnownTokens = Map<string, { at: number; input: string }>;

const TOKEN_LASTS = 600_000;

/** Executes a transaction. Writes nothing if the token is known. */
export function transact(store: Store, tokens: KnownTokens, input: Transaction, at: number, by: string) {
  const { ClientRequestToken: token } = input;
  const known = token === undefined ? undefined : tokens.get(token);
  if (known && at - known.at < TOKEN_LASTS) {
    if (known.input !== JSON.stringify(input))
      throw new DatabaseError('IdempotentParameterMismatchException', 'The request uses the token of another one');
    return {};
  }
  store.commit(prepareAll(store, input), at, by);
  if (token !== undefined) tokens.set(token, { at, input: JSON.stringify(input) });
  return {};
}

function prepareAll(store: Store, { TransactItems }: Transaction): Write[] {
  const reasons: Reason[] = [];
  const writes: Write[] = [];
  const keys = new Set<string>();
  for (const [operation = '', input] of TransactItems.flatMap((item) => Object.entries(item))) {
    keys.add(JSON.stringify(readKey(input.Item ?? input.Key ?? {})));
    try {
      const prepared = prepare(store, operation, input);
      if (operation !== 'ConditionCheck') writes.push(prepared);
      reasons.push({ Code: 'None' });
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.name !== 'ConditionalCheckFailedException') throw error;
      const Item = error.body.Item as Reason['Item'];
      reasons.push({
        Code: 'ConditionalCheckFailed',
        Message: 'The conditional request failed',
        ...(Item ? { Item } : {}),
      });
    }
  }
  if (keys.size < TransactItems.length)
    throw validation('Transaction request cannot include multiple operations on one item');
  if (reasons.some(({ Code }) => Code !== 'None')) throw cancelled(reasons);
  return writes;
}

/** An executed request, to which other engines must give the same answer if `isLatest`. */
export type Executed = { operation: string; input: object; answer: Answer; isLatest: boolean };

export type Answer = { status: number; body: Record<string, unknown> };

type BatchOfReads = { RequestItems: Record<string, Input & { Keys: NonNullable<Input['Key']>[] }> };
type BatchOfWrites = { RequestItems: Record<string, Record<string, Input>[]> };

/** `at` in ms. `by`: the request's id. */
export type Execution = { at: number; by: string; view: View; itemsPerPage: number };

const EXACT = { view: latest, itemsPerPage: Number.POSITIVE_INFINITY };
const createDelete = ({ pk, sk }: Key) => ({ TableName: 'users', Key: { pk: { S: pk }, sk: { S: sk } } });

/** An in-memory DynamoDB with the features that this service uses. */
export class Database {
  readonly store = new Store();
  readonly executed: Executed[] = [];
  readonly #tokens: KnownTokens = new Map();

  execute(operation: string, input: object, { at, by, view, itemsPerPage }: Execution): Answer {
    const { status, body } = this.#answer(operation, input, { at, by, view, itemsPerPage });
    const isLatest = view === latest && itemsPerPage === Number.POSITIVE_INFINITY;
    this.executed.push({ operation, input, answer: { status, body }, isLatest });
    return { status, body };
  }

  /** Commits without conditions, like a restore or an import by hand. */
  replace(writes: Write[], at: number, by: string): void {
    this.store.commit(writes, at, by);
    for (const { key, item } of writes) {
      const [operation, input] = item
        ? ['PutItem', { TableName: 'users', Item: item }]
        : ['DeleteItem', createDelete(key)];
      this.executed.push({ operation, input, answer: { status: 200, body: {} }, isLatest: true });
    }
  }

  /** Deletes expired items for which `isDeleted` returns true. The others remain readable. */
  deleteExpired(now: number, isDeleted: () => boolean): void {
    for (const stored of this.store.all()) {
      const expiresAt = latest(stored)?.[tableSchema.timeToLive]?.N;
      if (expiresAt !== undefined && Number(expiresAt) * 1000 <= now && isDeleted())
        this.execute('DeleteItem', createDelete(stored), { at: now, by: 'time to live', ...EXACT });
    }
  }

  #answer(operation: string, input: object, execution: Execution): Answer {
    try {
      return { status: 200, body: this.#run(operation, input as Input, execution) };
    } catch (error) {
      if (error instanceof DatabaseError) return error;
      throw error;
    }
  }

  #run(operation: string, input: Input, { at, by, view, itemsPerPage }: Execution): Record<string, unknown> {
    switch (operation) {
      case 'GetItem':
        return getItem(this.store, input, view);
      case 'Query':
      case 'Scan':
        return query(this.store, input, view, itemsPerPage);
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        return write(this.store, operation, input, at, by);
      // The casts are safe, because the SDK has built the input for its operation.
      case 'TransactWriteItems':
        return transact(this.store, this.#tokens, input as unknown as Transaction, at, by);
      case 'BatchGetItem':
        return this.#readBatch(input as unknown as BatchOfReads, view);
      case 'BatchWriteItem':
        return this.#writeBatch(input as unknown as BatchOfWrites, at, by);
      default:
        throw validation(`The simulation has no ${operation}`);
    }
  }

  /** Returns items in another order than `Keys`, because DynamoDB promises none. */
  #readBatch({ RequestItems }: BatchOfReads, view: View) {
    const Responses = Object.entries(RequestItems).map(([name, { Keys, ...input }]) => [
      name,
      Keys.toReversed().flatMap((Key) => getItem(this.store, { ...input, Key }, view).Item ?? []),
    ]);
    return { Responses: Object.fromEntries(Responses), UnprocessedKeys: {} };
  }

  /** Commits each write separately, because a batch is not a transaction. */
  #writeBatch({ RequestItems }: BatchOfWrites, at: number, by: string) {
    for (const { PutRequest, DeleteRequest } of Object.values(RequestItems).flat())
      this.store.commit(
        [{ key: readKey(PutRequest?.Item ?? DeleteRequest?.Key ?? {}), item: PutRequest?.Item }],
        at,
        by,
      );
    return { UnprocessedItems: {} };
  }
}

export type Input = {
  TableName: string;
  Key?: Item;
  Item?: Item;
  IndexName?: string;
  KeyConditionExpression?: string;
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

const readAttributes = ({ ExpressionAttributeNames, ExpressionAttributeValues }: Input): Attributes => ({
  names: ExpressionAttributeNames ?? {},
  values: ExpressionAttributeValues ?? {},
});

export function getItem(store: Store, input: Input, view: View) {
  const stored = store.find(readKey(input.Key ?? {}));
  const item = stored && view(stored);
  return item ? { Item: project(item, input) } : {};
}

/** Executes a query, or a scan, which has no key condition. */
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
  const last = read.at(-1);
  return {
    ...(input.Select === 'COUNT'
      ? {}
      : { Items: read.map((item) => project(input.IndexName ? projectIndex(item) : item, input)) }),
    Count: read.length,
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

function projectIndex(item: Item): Item {
  const { partitionKey, sortKey, projection } = tableSchema.index;
  const names = new Set<string>(['pk', 'sk', partitionKey, sortKey, ...projection]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name)));
}

function project(item: Item, input: Input): Item {
  const { ProjectionExpression } = input;
  if (!ProjectionExpression) return item;
  const tokens = new Tokens(ProjectionExpression);
  const paths = tokens.list(() => parsePath(tokens)(readAttributes(input)));
  // Supports no nested paths, because the service projects none.
  return Object.fromEntries(paths.flatMap((name) => (item[name] ? [[name, item[name]]] : [])));
}
