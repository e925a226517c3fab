const MAX_PARALLEL = 20;

/** Throws the first error, and then starts no further items. */
export async function mapParallel<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Promise<Result>,
  maxParallel = MAX_PARALLEL,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = takeEach(items);
  const runNext = async () => {
    for (const [at, item] of waiting) results[at] = await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(maxParallel, items.length) }, runNext));
  return results;
}

/** A generator, because it ends for all loops as soon as one throws. An array iterator would continue. */
function* takeEach<Item>(items: readonly Item[]): Generator<[at: number, item: Item]> {
  yield* items.entries();
}

export function createLimiter(max: number) {
  const waiting: (() => void)[] = [];
  let free = max;
  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      // Hand the place over: a caller that arrives before the waiter continues could take a free one.
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}

export const split = <Element>(all: Element[], size: number): Element[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, batch) => all.slice(batch * size, (batch + 1) * size));
