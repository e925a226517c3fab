import type { Input } from '../database/reads.ts';
import { type Item, readKey } from '../database/store.ts';

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
