import { ClientError } from '../../lib/client/client.ts';
import { pause as wait } from '../../lib/client/transport.ts';

const FIRST_LIMIT = 2;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** After so many attempts, some minutes, a service that is still busy is given up. */
const MAX_ATTEMPTS = 24;

/** Once the signal is aborted, no further attempt is made. */
type Options = {
  maxLimit: number;
  isBusy: (error: unknown) => boolean;
  signal?: AbortSignal;
  pause?: (ms: number, error: unknown) => Promise<unknown>;
};

/** The client has read it from Retry-After, which may ask for days. */
const readRetryAfter = (error: unknown): number =>
  error instanceof ClientError ? Math.min(MAX_RETRY_AFTER_MS, error.retryAfterMs ?? 0) : 0;

/**
 * How much is under way at once. It rises while all goes well, and halves when the other side is busy, as TCP does (RFC 5681):
 * so it finds out what a table or a service takes, and shares it with others. The queues of libraries have a fixed limit.
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
    const { maxLimit, isBusy, signal, pause = (ms) => wait(ms, signal) } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const reductions = this.#reductions;
      try {
        const result = await work();
        this.#limit = Math.min(maxLimit, this.#limit + 1 / this.#limit);
        return result;
      } catch (error) {
        if (!isBusy(error) || attempt === MAX_ATTEMPTS) throw error;
        if (reductions === this.#reductions) this.#reduce();
        const ms = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
        await pause(Math.max(readRetryAfter(error), ms), error);
        signal?.throwIfAborted();
      }
    }
  }

  #reduce(): void {
    this.#reductions++;
    this.#limit = Math.max(1, this.#limit / 2);
  }
}

/** Items under way have so many characters together at most, unless there is only one. */
const MAX_CHARACTERS = 4_000_000;

/** Works on items with as many under way as the pace, and the memory, allow. The results come in the order of the items. */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  pace: Pick<Pace, 'limit'>,
  work: (item: Item) => Promise<Result>,
  countCharacters: (item: Item) => number = () => 0,
): AsyncGenerator<Result> {
  const underWay: { result: Promise<Result>; characters: number }[] = [];
  let sum = 0;
  async function takeFirst(): Promise<Result> {
    const { result, characters } = underWay.shift() as (typeof underWay)[number]; // It is called while there is one.
    sum -= characters;
    return result;
  }
  try {
    for await (const item of items) {
      const characters = countCharacters(item);
      while (underWay.length > 0 && (underWay.length >= pace.limit || sum + characters > MAX_CHARACTERS))
        yield await takeFirst();
      const result = work(item);
      // An error is thrown when it is the turn of its result.
      result.catch(() => {});
      underWay.push({ result, characters });
      sum += characters;
    }
    while (underWay.length > 0) yield await takeFirst();
  } finally {
    await Promise.allSettled(underWay.map(({ result }) => result));
  }
}
