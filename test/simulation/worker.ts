import { currentInvocation } from './environment/invocation.ts';
import { findMutant } from './mutants/mutants.ts';
import type { Options } from './options.ts';
import { startService } from './service.ts';

/** Seeds to run, one after the other, until one fails. */
export type Task = Pick<Options, 'without' | 'trace' | 'shrinks'> & { seeds: number[] };
export type Failure = {
  seed: number;
  problems: string[];
  faults: [string, string][];
  without: string[];
  trace: string[];
};
export type Report = { done: number; failure?: Failure; hashes: string[] };

const mutant = process.argv[2];
const service = await startService(mutant ? [findMutant(mutant)] : []);
// Only now: what they import is to find virtual time.
const { simulate } = await import('./simulate.ts');
const { shrink } = await import('./shrink.ts');
silenceConsole();
await simulate(service, 'loads what is loaded on first use');

process.on('message', async (task: Task) => {
  const hashes: string[] = [];
  for (const seed of task.seeds) {
    const failure = await run(seed, task, hashes);
    process.send?.({ done: 1, hashes, ...(failure ? { failure } : {}) } satisfies Report);
    hashes.length = 0;
  }
});
process.send?.({ done: 0, hashes: [] } satisfies Report);

async function run(seed: number, { without, trace, shrinks }: Task, hashes: string[]): Promise<Failure | undefined> {
  const result = await simulate(service, String(seed), new Set(without));
  hashes.push(result.hash);
  if (result.problems.length === 0 && !trace) return undefined;
  const shortest = shrinks ? await shrink(service, String(seed)) : { without, result };
  const { problems, faults } = shortest.result;
  return { seed, problems, faults: [...faults], without: shortest.without, trace: shortest.result.trace };
}

/** What handlers log belongs to the history. */
function silenceConsole(): void {
  const keep = (level: string) => (line: unknown) => {
    const invocation = currentInvocation();
    invocation?.world.trace(`${invocation.id} ${level} ${JSON.stringify(line)}`);
  };
  Object.assign(console, { info: () => {}, warn: keep('warns'), error: keep('logs') });
}
