import { DatabaseError, validation } from './errors.ts';
import { getItem, type Input, query } from './reads.ts';
import { latest, readKey, Store, type View } from './store.ts';
import { type KnownTokens, type Transaction, transact } from './transactions.ts';
import { write } from './writes.ts';

/** A request that was executed. Only the latest state is what another engine would show as well. */
export type Executed = { operation: string; input: object; answer: Answer; isLatest: boolean };

export type Answer = { status: number; body: Record<string, unknown> };

type BatchOfReads = { RequestItems: Record<string, Input & { Keys: NonNullable<Input['Key']>[] }> };
type BatchOfWrites = { RequestItems: Record<string, Record<string, Input>[]> };

/** DynamoDB as far as this service uses it, in memory. A view decides what each read sees of what was written. */
export class Database {
  readonly store = new Store();
  readonly executed: Executed[] = [];
  readonly #tokens: KnownTokens = new Map();

  execute(operation: string, input: object, at: number, by: string, view: View = latest): Answer {
    const { status, body } = this.#answer(operation, input, at, by, view);
    this.executed.push({ operation, input, answer: { status, body }, isLatest: view === latest });
    return { status, body };
  }

  #answer(operation: string, input: object, at: number, by: string, view: View): Answer {
    try {
      return { status: 200, body: this.#run(operation, input as Input, at, by, view) };
    } catch (error) {
      if (error instanceof DatabaseError) return error;
      throw error;
    }
  }

  #run(operation: string, input: Input, at: number, by: string, view: View): Record<string, unknown> {
    switch (operation) {
      case 'GetItem':
        return getItem(this.store, input, view);
      case 'Query':
      case 'Scan':
        return query(this.store, input, view);
      case 'PutItem':
      case 'UpdateItem':
      case 'DeleteItem':
        return write(this.store, operation, input, at, by);
      // The input of each operation has its own form; what sent it is the SDK.
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

  #readBatch({ RequestItems }: BatchOfReads, view: View) {
    const Responses = Object.entries(RequestItems).map(([name, { Keys, ...input }]) => [
      name,
      Keys.flatMap((Key) => getItem(this.store, { ...input, Key }, view).Item ?? []),
    ]);
    return { Responses: Object.fromEntries(Responses), UnprocessedKeys: {} };
  }

  /** No transaction: each write is done by itself. */
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
