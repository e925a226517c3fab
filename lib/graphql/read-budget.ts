import { GraphQLError } from 'graphql';

const MAX_ITEMS = 10_000;
/** Lambda's limit for a buffered response is 6 MB. */
const MAX_RESPONSE_BYTES = 5_000_000;

/** Bounds what one request reads and returns, because a list without `first` has any length. */
export class ReadBudget {
  #items = 0;
  #bytes = 0;

  /** Call it before a read. Throws BAD_USER_INPUT if nothing more may be read. */
  assertNotExceeded(): void {
    if (this.#items > MAX_ITEMS) throw exceeded(`reads more than ${MAX_ITEMS} items`);
    if (this.#bytes > MAX_RESPONSE_BYTES) throw exceeded(`returns more than ${MAX_RESPONSE_BYTES} bytes`);
  }

  /** Throws BAD_USER_INPUT. */
  spendItems(count: number): void {
    this.#items += count;
    this.assertNotExceeded();
  }

  /** Throws BAD_USER_INPUT. */
  spendBytes(count: number): void {
    this.#bytes += count;
    this.assertNotExceeded();
  }
}

const exceeded = (what: string) =>
  new GraphQLError(`The operation ${what}; use first to limit its lists`, { extensions: { code: 'BAD_USER_INPUT' } });
