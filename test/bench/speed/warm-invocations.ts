import type { Candidate } from './candidates.ts';
import { startLambda } from './lambda.ts';
import { type Summary, summarize, summarizeBy } from './statistics.ts';

/** Milliseconds in the handler, and the CPU time of the process for it, in means of rounds. `perSecond` counts invocations of one process. */
export type Warm = { candidate: Candidate; handler: Summary; cpu: Summary; perSecond: number };

/** V8 has optimized what is worth it by then. */
const WARM_UP = 1_500;
const PER_ROUND = 50;

/** Keeps a process of each candidate and invokes all of them in each round. */
export async function measureWarm(
  candidates: Candidate[],
  database: string,
  { rounds, progress }: { rounds: number; progress: (done: number) => void },
): Promise<Warm[]> {
  await using stack = new AsyncDisposableStack();
  const running = [];
  for (const candidate of candidates) {
    const lambda = stack.use(await startLambda(candidate, database));
    for (let count = 0; count < WARM_UP; count++) await lambda.invoke();
    running.push({ candidate, lambda, handler: [] as number[], cpu: [] as number[], all: [] as number[] });
    progress(running.length);
  }
  for (let round = 1; round <= rounds; round++) {
    for (const { lambda, handler, cpu, all } of running) {
      const times = [];
      for (let count = 0; count < PER_ROUND; count++) times.push(await lambda.invoke());
      handler.push(...times.map(({ handlerMs }) => handlerMs));
      all.push(...times.map(({ ms }) => ms));
      cpu.push(times.reduce((sum, { handlerCpuMs }) => sum + handlerCpuMs, 0) / PER_ROUND);
    }
    progress(candidates.length + round);
  }
  return running.map(({ candidate, handler, cpu, all }) => ({
    candidate,
    handler: summarize(handler),
    cpu: summarizeBy(cpu, (mean) => mean),
    perSecond: 1000 / summarize(all).median,
  }));
}
