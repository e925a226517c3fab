import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_LIMIT = 2;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;
/** After so many attempts, some minutes, a service that is still busy is given up. */
const MAX_ATTEMPTS = 24;

type Options = { maxLimit: number; isBusy: (error: unknown) => boolean; pause?: (ms: number) => Promise<unknown> };

/**
 * How much is under way at once. It rises while all goes well, and halves when the other side is busy, as TCP does (RFC 5681):
 * so it finds out what a table or a service takes, and shares it with others.
 */
export class Pace {
  readonly #options: Options;
  #limit = FIRST_LIMIT;
  /** Attempts that began before the last reduction tell nothing about the limit since. */
  #reductions = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Makes attempts until one is not rejected because the other side is busy. The work must be safe to repeat. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const { maxLimit, isBusy, pause = sleep } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const reductions = this.#reductions;
      try {
        const result = await work();
        this.#limit = Math.min(maxLimit, this.#limit + 1 / this.#limit);
        return result;
      } catch (error) {
        if (!isBusy(error) || attempt === MAX_ATTEMPTS) throw error;
        if (reductions === this.#reductions) this.#reduce();
        await pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2));
      }
    }
  }

  #reduce(): void {
    this.#reductions++;
    this.#limit = Math.max(1, this.#limit / 2);
  }
}

/** Works on items with as many under way as the pace allows. The results come in the order of the items. */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  pace: Pick<Pace, 'limit'>,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  try {
    for await (const item of items) {
      const result = work(item);
      // An error is thrown when it is the turn of its result.
      result.catch(() => {});
      underWay.push(result);
      while (underWay.length >= pace.limit) yield await (underWay.shift() as Promise<Result>); // The limit is 1 at least.
    }
    for (let result = underWay.shift(); result; result = underWay.shift()) yield await result;
  } finally {
    await Promise.allSettled(underWay);
  }
}
