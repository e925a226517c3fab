import type { Candidate } from './candidates.ts';
import { type Loaded, startLambda } from './lambda.ts';
import { type Summary, summarize, summarizeBy } from './statistics.ts';

/**
 * In milliseconds from process start. `total`: to the first response. `cpu`: of all threads in that time. `init`: until
 * the handler is imported. `first` and `second`: time in the handler of the first two invocations.
 */
export type ColdStart = {
  candidate: Candidate;
  loaded: Loaded;
  total: Summary;
  cpu: Summary;
  init: Summary;
  first: Summary;
  second: Summary;
};

type Measured = Record<'total' | 'cpu' | 'init' | 'first' | 'second', number>;

/** Each round starts every candidate once, so other load on the machine affects all alike. */
export async function measureColdStarts(
  candidates: Candidate[],
  database: string,
  { rounds, progress }: { rounds: number; progress: (done: number) => void },
): Promise<ColdStart[]> {
  const measured = new Map<Candidate, Measured[]>(candidates.map((candidate) => [candidate, []]));
  // The first round is not measured, because it fills the file system caches.
  for (let round = 0; round <= rounds; round++)
    for (const [index, candidate] of candidates.entries()) {
      const times = await measureOnce(candidate, database);
      if (round > 0) measured.get(candidate)?.push(times);
      progress(round * candidates.length + index + 1);
    }
  const loaded = new Map<Candidate, Loaded>();
  for (const candidate of candidates) loaded.set(candidate, await countLoaded(candidate, database));
  return [...measured].map(([candidate, times]) => {
    const summary = (name: keyof Measured) => summarizeBy(times, (measured) => measured[name]);
    return {
      candidate,
      loaded: loaded.get(candidate) ?? { files: 0, bytes: 0, modules: 0 },
      total: summary('total'),
      cpu: summary('cpu'),
      init: summary('init'),
      first: summary('first'),
      second: summary('second'),
    };
  });
}

async function countLoaded(candidate: Candidate, database: string): Promise<Loaded> {
  await using lambda = await startLambda(candidate, database, { variables: { BENCH_COUNTS: 'on' } });
  // Awaits the response, because `lambda` is disposed on return.
  return await lambda.invoke();
}

async function measureOnce(candidate: Candidate, database: string): Promise<Measured> {
  await using lambda = await startLambda(candidate, database);
  const first = await lambda.invoke();
  const total = performance.now() - lambda.start;
  const second = await lambda.invoke();
  return { total, cpu: first.processCpuMs, init: first.initMs, first: first.handlerMs, second: second.handlerMs };
}

/**
 * In milliseconds. `handler`: per call. `cpu`: mean per round. `perSecond`: sequential calls that one process answers.
 */
export type Warm = { candidate: Candidate; handler: Summary; cpu: Summary; perSecond: number };

const WARM_UP = 800;
const PER_ROUND = 50;

export async function measureWarm(
  candidates: Candidate[],
  database: string,
  { runs, rounds, progress }: { runs: number; rounds: number; progress: (done: number) => void },
): Promise<Warm[]> {
  const measured = candidates.map((candidate) => {
    const times = { handler: [] as number[], cpu: [] as number[], all: [] as number[] };
    return { candidate, ...times };
  });
  for (let run = 0; run < runs; run++) {
    await using stack = new AsyncDisposableStack();
    const running = [];
    for (const { candidate, ...times } of measured) {
      const lambda = stack.use(await startLambda(candidate, database));
      for (let count = 0; count < WARM_UP; count++) await lambda.invoke();
      running.push({ lambda, ...times });
      progress(run * candidates.length + running.length);
    }
    for (let round = 0; round < rounds; round++)
      for (const { lambda, handler, cpu, all } of running) {
        const times = [];
        for (let count = 0; count < PER_ROUND; count++) times.push(await lambda.invoke());
        handler.push(...times.map(({ handlerMs }) => handlerMs));
        all.push(...times.map(({ ms }) => ms));
        cpu.push(times.reduce((sum, { handlerCpuMs }) => sum + handlerCpuMs, 0) / PER_ROUND);
      }
  }
  return measured.map(({ candidate, handler, cpu, all }) => ({
    candidate,
    handler: summarize(handler),
    cpu: summarizeBy(cpu, (mean) => mean),
    perSecond: 1000 / summarize(all).median,
  }));
}
