const started = performance.now();

const formatDuration = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`.padStart(8);

/** Prints the result and duration. */
export async function step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  const since = performance.now();
  try {
    const result = await run();
    console.log(`ok    ${formatDuration(since)}  ${name}`);
    return result;
  } catch (error) {
    console.log(`FAIL  ${formatDuration(since)}  ${name}`);
    throw error;
  }
}

export async function runSteps(name: string, steps: () => Promise<void>): Promise<void> {
  try {
    await steps();
    console.log(`ok    ${formatDuration(started)}  ${name}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
