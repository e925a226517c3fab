import { ClientError } from '../../lib/client/client.ts';
import { pause as wait } from '../../lib/client/transport.ts';

const FIRST_LIMIT = 2;
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 15_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
/** Attempts before a busy service is an error: some minutes. */
const MAX_ATTEMPTS = 24;

/** No further attempts once the signal is aborted. */
type Options = {
  maxLimit: number;
  isBusy: (error: unknown) => boolean;
  signal?: AbortSignal;
  pause?: (ms: number, error: unknown) => Promise<unknown>;
};

/** The service may ask for days. */
const readRetryAfter = (error: unknown): number =>
  error instanceof ClientError ? Math.min(MAX_RETRY_AFTER_MS, error.retryAfterMs ?? 0) : 0;

/**
 * Adapts the number of concurrent requests: rises on success and halves when the other side is busy, like TCP (RFC 5681). Finds out what a
 * table or service can take, and shares it with others. Libraries for queues have a fixed limit.
 */
export class Pace {
  readonly #options: Options;
  #limit = FIRST_LIMIT;
  /** Attempts started before a reduction must not reduce the limit again. */
  #reductions = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** Retries while the other side is busy. `work` must be idempotent. */
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

/** Maximum characters of all items in progress, unless there is only one. */
const MAX_CHARACTERS = 4_000_000;

/** Processes items concurrently, within the pace and the memory limit. Yields results in the order of the items. */
export async function* mapInOrder<Item, Result>(
  items: AsyncIterable<Item>,
  pace: Pick<Pace, 'limit'>,
  work: (item: Item) => Promise<Result>,
  countCharacters: (item: Item) => number = () => 0,
): AsyncGenerator<Result> {
  const underWay: { result: Promise<Result>; characters: number }[] = [];
  let sum = 0;
  async function takeFirst(): Promise<Result> {
    const { result, characters } = underWay.shift() as (typeof underWay)[number]; // Called only while there is one.
    sum -= characters;
    return result;
  }
  try {
    for await (const item of items) {
      const characters = countCharacters(item);
      while (underWay.length > 0 && (underWay.length >= pace.limit || sum + characters > MAX_CHARACTERS))
        yield await takeFirst();
      const result = work(item);
      // The error is thrown in its turn.
      result.catch(() => {});
      underWay.push({ result, characters });
      sum += characters;
    }
    while (underWay.length > 0) yield await takeFirst();
  } finally {
    await Promise.allSettled(underWay.map(({ result }) => result));
  }
}
