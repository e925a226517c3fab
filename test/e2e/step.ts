const started = performance.now();

const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`.padStart(8);

/** Runs one step and says, in one line, how it went and how long it took. What it throws goes on. */
export async function step<Result>(what: string, act: () => Promise<Result>): Promise<Result> {
  const since = performance.now();
  try {
    const result = await act();
    console.log(`ok    ${seconds(since)}  ${what}`);
    return result;
  } catch (error) {
    console.log(`FAIL  ${seconds(since)}  ${what}`);
    throw error;
  }
}

/** Runs steps to their end and sets the exit code. */
export async function runSteps(name: string, steps: () => Promise<void>): Promise<void> {
  try {
    await steps();
    console.log(`ok    ${seconds(started)}  ${name}, in all`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
