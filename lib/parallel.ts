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
  let running = 0;
  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (running >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    running++;
    try {
      return await run();
    } finally {
      running--;
      waiting.shift()?.();
    }
  };
}
