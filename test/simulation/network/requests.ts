import type { Answer } from '../database/database.ts';
import type { Input } from '../database/reads.ts';
import { cancelled, DatabaseError, type Item, readKey } from '../database/store.ts';
import type { Random } from '../random.ts';

/** A request of the SDK. */
export type Request = { id: string; operation: string; input: Input; keys: string[]; writes: boolean };

type Batch = Record<string, Item[] | { Keys?: Item[] }>;

export function describeRequest(id: string, target: string, body: string): Request {
  const operation = target.slice(target.indexOf('.') + 1);
  // The SDK made it, so it has the form of its operation.
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
    // A batch of writes is a list of `{ PutRequest }` and `{ DeleteRequest }`.
    Array.isArray(entries)
      ? entries.flatMap((entry) => Object.values(entry) as Partial<Input>[])
      : (entries.Keys ?? []).map((Key) => ({ Key })),
  );

/** What the SDK's HTTP handler throws when the connection breaks. */
export const connectionReset = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

/** What it throws when there is no answer in time. */
export const timeoutError = () =>
  Object.assign(new Error('Request did not complete in time'), { name: 'TimeoutError', code: 'ETIMEDOUT' });

export function throttledAnswer({ operation, input }: Request, random: Random): Answer {
  const size = 'TransactItems' in input && Array.isArray(input.TransactItems) ? input.TransactItems.length : 0;
  if (operation === 'TransactWriteItems' && random.chance(0.5))
    return cancelled(Array.from({ length: size }, (_, at) => ({ Code: at === 0 ? 'ThrottlingError' : 'None' })));
  const name = random.chance(0.5) ? 'ThrottlingException' : 'ProvisionedThroughputExceededException';
  return new DatabaseError(name, 'Throughput exceeds the current capacity of your table or index');
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-conflict-handling */
export function conflictAnswer({ operation, keys }: Request, shared: Set<string>): Answer {
  if (operation === 'TransactWriteItems')
    return cancelled(keys.map((key) => ({ Code: shared.has(key) ? 'TransactionConflict' : 'None' })));
  return new DatabaseError('TransactionConflictException', 'Transaction is ongoing for the item');
}

export const serverErrorAnswer: Answer = new DatabaseError('InternalServerError', 'Internal server error', {}, 500);

/** Of a batch only a part is done, and the rest is named in the answer. */
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
