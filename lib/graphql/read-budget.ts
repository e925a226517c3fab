import { GraphQLError } from 'graphql';

const MAX_ITEMS_READ = 10_000;
/** An item that is read once can be returned many times, as the author of each post. */
const MAX_ITEMS_RETURNED = 20_000;
/** Lambda's limit for a buffered response is 6 MB. */
const MAX_BYTES_RETURNED = 5_000_000;

/** Bounds what one request reads and returns, because a list without `first` has any length. */
export class ReadBudget {
  #read = 0;
  #returned = 0;
  #bytes = 0;
  /** One for all fields, because thousands can fail. */
  #error: GraphQLError | undefined;

  /** Call it as items are read. Throws BAD_USER_INPUT. */
  spendRead(items: number): void {
    this.#read += items;
    this.assertNotExceeded();
  }

  /** Call it before the fields of items are resolved. Throws BAD_USER_INPUT. */
  spendReturned(items: number, bytes: number): void {
    this.#returned += items;
    this.#bytes += bytes;
    this.assertNotExceeded();
  }

  /** Call it before a read. Throws BAD_USER_INPUT. */
  assertNotExceeded(): void {
    this.#error ??= this.#findExcess();
    if (this.#error) throw this.#error;
  }

  #findExcess(): GraphQLError | undefined {
    if (this.#read > MAX_ITEMS_READ) return exceeded(`reads more than ${MAX_ITEMS_READ} items`);
    if (this.#returned > MAX_ITEMS_RETURNED) return exceeded(`returns more than ${MAX_ITEMS_RETURNED} items`);
    if (this.#bytes > MAX_BYTES_RETURNED) return exceeded(`returns more than ${MAX_BYTES_RETURNED} bytes`);
    return undefined;
  }
}

/** With a path, even an empty one, graphql-js does not wrap the error for each field that throws it. */
const exceeded = (what: string) =>
  new GraphQLError(`The operation ${what}; use first to limit its lists`, {
    extensions: { code: 'BAD_USER_INPUT' },
    path: [],
  });
