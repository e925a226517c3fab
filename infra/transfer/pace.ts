import { ClientError } from '../../lib/client/client.ts';
import { pause as wait } from '../../lib/client/transport.ts';

const FIRST_LIMIT = 2;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Attempts per request, which take some minutes including the pauses. The last error is thrown. */
const MAX_ATTEMPTS = 24;

/**
 * `maxLimit`: maximum of concurrent requests. `isBusy`: whether an error is temporary. If `signal` is aborted, no
 * retries follow.
 */
type Options = {
  maxLimit: number;
  isBusy: (error: unknown) => boolean;
  signal?: AbortSignal;
  pause?: (ms: number, error: unknown) => Promise<unknown>;
};

/** Returns the requested pause before a retry, at most an hour, because a service may request days. */
const readRetryAfter = (error: unknown): number =>
  error instanceof ClientError ? Math.min(MAX_RETRY_AFTER_MS, error.retryAfterMs ?? 0) : 0;

/**
 * Adapts the number of concurrent requests to the capacity of a service or table, and shares that capacity with other
 * clients. Like TCP (RFC 5681), raises the limit on success and halves it when the service is busy. Libraries for
 * queues only have fixed limits.
 */
export class Pace {
  readonly #options: Options;
  #limit = FIRST_LIMIT;
  /** Number of times the limit was halved. An attempt that started before the last reduction must not halve it again. */
  #reductions = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Runs `work`, and retries it while the service or table is busy. `work` must be idempotent. */
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

/** Maximum characters of all items in progress, to limit memory. A single item may have more. */
const MAX_CHARACTERS = 4_000_000;

/** Processes items concurrently, up to the limits of `pace` and MAX_CHARACTERS. Yields results in the order of the items. */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  pace: Pick<Pace, 'limit'>,
  work: (item: Item) => Promise<Result>,
  countCharacters: (item: Item) => number = () => 0,
): AsyncGenerator<Result> {
  const underWay: { result: Promise<Result>; characters: number }[] = [];
  let sum = 0;
  async function takeFirst(): Promise<Result> {
    const { result, characters } = underWay.shift() as (typeof underWay)[number]; // Called only if the array is not empty.
    sum -= characters;
    return result;
  }
  try {
    for await (const item of items) {
      const characters = countCharacters(item);
      while (underWay.length > 0 && (underWay.length >= pace.limit || sum + characters > MAX_CHARACTERS))
        yield await takeFirst();
      const result = work(item);
      // Prevents an unhandled rejection. `takeFirst` throws the error later, in the order of the items.
      result.catch(() => {});
      underWay.push({ result, characters });
      sum += characters;
    }
    while (underWay.length > 0) yield await takeFirst();
  } finally {
    await Promise.allSettled(underWay.map(({ result }) => result));
  }
}
