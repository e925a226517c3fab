import type { Answer, Input } from '../database/database.ts';
import { cancelled, DatabaseError, type Item, latest, readKey, type Stored, type View } from '../database/store.ts';
import type { FaultOptions } from '../options.ts';
import { createRandom, type Random } from '../random.ts';

export type Request = { id: string; operation: string; input: Input; keys: string[]; writes: boolean };

type Batch = Record<string, Item[] | { Keys?: Item[] }>;

export function describeRequest(id: string, target: string, body: string): Request {
  const operation = target.slice(target.indexOf('.') + 1);
  // The SDK has built the input for its operation.
  const input = JSON.parse(body) as Input & { TransactItems?: Record<string, Input>[]; RequestItems?: Batch };
  const inputs = input.TransactItems?.flatMap((item) => Object.values(item)) ?? [
    input,
    ...batchInputs(input.RequestItems),
  ];
  const keys = inputs.flatMap(({ Item, Key }) => ((Item ?? Key) ? [readKey(Item ?? Key ?? {})] : []));
  return {
    id,
    operation,
    input,
    keys: keys.map(({ pk, sk }) => `${pk} ${sk}`),
    writes: !/^(Get|Query|Scan|BatchGet)/.test(operation),
  };
}

const batchInputs = (batch: Batch = {}): Partial<Input>[] =>
  Object.values(batch).flatMap((entries): Partial<Input>[] =>
    Array.isArray(entries)
      ? entries.flatMap((entry) => Object.values(entry) as Partial<Input>[])
      : (entries.Keys ?? []).map((Key) => ({ Key })),
  );

/** The SDK's HTTP handler throws such an error. */
export const connectionReset = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

/** The SDK's HTTP handler throws such an error. */
export const timeoutError = () =>
  Object.assign(new Error('Request did not complete in time'), { name: 'TimeoutError', code: 'ETIMEDOUT' });

export function throttledAnswer({ operation, input }: Request, random: Random): Answer {
  const size = 'TransactItems' in input && Array.isArray(input.TransactItems) ? input.TransactItems.length : 0;
  if (operation === 'TransactWriteItems' && random.chance(0.5))
    return cancelled(Array.from({ length: size }, (_, at) => ({ Code: at === 0 ? 'ThrottlingError' : 'None' })));
  const name = random.chance(0.5) ? 'ThrottlingException' : 'ProvisionedThroughputExceededException';
  return new DatabaseError(name, 'Throughput exceeds the current capacity of your table or index');
}

/**
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling
 */
export function conflictAnswer({ operation, keys }: Request, shared: Set<string>): Answer {
  if (operation === 'TransactWriteItems')
    return cancelled(keys.map((key) => ({ Code: shared.has(key) ? 'TransactionConflict' : 'None' })));
  return new DatabaseError('TransactionConflictException', 'Transaction is ongoing for the item');
}

export const serverErrorAnswer: Answer = new DatabaseError('InternalServerError', 'Internal server error', {}, 500);

/** Executes a random part of a batch and returns the rest as unprocessed. */
export function answerPart(request: Request, random: Random, execute: (input: object) => Answer): Answer {
  const { operation, input } = request;
  if (!('RequestItems' in input)) return execute(input);
  const [[name, entries] = ['', []]] = Object.entries(
    input.RequestItems as Record<string, unknown[] | { Keys: unknown[] }>,
  );
  const all = Array.isArray(entries) ? entries : entries.Keys;
  const done = random.int(0, all.length - 1);
  const pack = (part: unknown[]) => ({ [name]: Array.isArray(entries) ? part : { ...entries, Keys: part } });
  const { status, body } =
    done === 0 ? { status: 200, body: { Responses: {} } } : execute({ RequestItems: pack(all.slice(0, done)) });
  const rest = operation === 'BatchWriteItem' ? 'UnprocessedItems' : 'UnprocessedKeys';
  return { status, body: { ...body, [rest]: pack(all.slice(done)) } };
}

/** `sentAtCommit` and `lastCommit` count commits. `now` in ms. */
type Moment = { seed: string; now: number; sentAtCommit: number; lastCommit: number };

/**
 * Reads of several items may show part of a transaction:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-isolation
 */
export function chooseView({ id, operation, input }: Request, options: FaultOptions, moment: Moment): View {
  const random = createRandom(`${moment.seed} ${id} view`);
  const [isStale, isTorn] = [random.chance(options.staleReads), random.chance(options.tornReads)];
  if (isStale && !isConsistent(input)) return createStaleView(random, moment.now, 'IndexName' in input, options);
  if (!isTorn || moment.lastCommit === moment.sentAtCommit) return latest;
  if (operation === 'BatchGetItem') return createScatteredView(random, moment);
  return operation === 'Query' || operation === 'Scan' ? createTornView(random, moment) : latest;
}

const createStaleView = (
  random: Random,
  now: number,
  isIndex: boolean,
  { maxLagMs, maxDeletedLagMs }: FaultOptions,
): View => {
  const isDeleted = (stored: Stored) => isIndex && latest(stored) === undefined;
  return (stored) => {
    const oldest = now - (isDeleted(stored) ? maxDeletedLagMs : maxLagMs);
    const from = stored.versions.findLastIndex(({ at }) => at <= oldest);
    return pickVersion(stored, isDeleted(stored) ? Math.max(0, from) : from, random.next());
  };
};

/** Shows each item as of another moment since the request was sent. */
const createScatteredView =
  (random: Random, { sentAtCommit }: Moment): View =>
  (stored) => {
    const from = stored.versions.findLastIndex(({ commit }) => commit <= sentAtCommit);
    return pickVersion(stored, from, random.next());
  };

/** Shows a part of one commit since the request was sent. */
const createTornView = (random: Random, { sentAtCommit, lastCommit }: Moment): View => {
  const torn = random.int(sentAtCommit + 1, lastCommit);
  return ({ versions }) =>
    versions.findLast(({ commit }) => commit < torn || (commit === torn && random.chance(0.5)))?.item;
};

/** Picks a version at index `from` or later. Index -1 is before the first version. `luck` is in [0, 1). */
function pickVersion({ versions }: Stored, from: number, luck: number) {
  const at = from + Math.floor(luck * (versions.length - from));
  return versions[at]?.item;
}

const isConsistent = (input: object): boolean => {
  if ('RequestItems' in input) return JSON.stringify(input.RequestItems).includes('"ConsistentRead":true');
  return 'ConsistentRead' in input && input.ConsistentRead === true;
};
