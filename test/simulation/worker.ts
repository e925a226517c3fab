import type { Executed } from './database/database.ts';
import { silenceConsole } from './environment/globals.ts';
import { startService } from './environment/service.ts';
import { findMutant } from './mutants/mutants.ts';
import type { RunOptions } from './run.ts';

/** Seeds to run, one after the other, until one fails. */
export type Task = Pick<RunOptions, 'excluded' | 'trace' | 'shrinks' | 'records'> & { seeds: number[] };
export type Failure = {
  seed: number;
  problems: string[];
  faults: [string, string][];
  excluded: string[];
  trace: string[];
};
export type Report = { done: number; failure?: Failure; hash?: string; executed?: Executed[] };

const mutant = process.argv[2];
const service = await startService(mutant ? [findMutant(mutant)] : []);
// Only now: what they import is to find virtual time.
const { simulate } = await import('./simulate.ts');
const { shrink } = await import('./shrink.ts');
silenceConsole();
await simulate(service, 'loads what is loaded on first use');

process.on('message', async (task: Task) => {
  for (const seed of task.seeds) process.send?.(await run(seed, task));
});
process.send?.({ done: 0 } satisfies Report);

async function run(seed: number, { excluded, trace, shrinks, records }: Task): Promise<Report> {
  const result = await simulate(service, String(seed), new Set(excluded));
  const report = { done: 1, hash: result.hash, ...(records ? { executed: result.executed } : {}) };
  if (result.problems.length === 0 && !trace) return report;
  const shortest = shrinks ? await shrink(service, String(seed)) : { excluded, result };
  const { problems, faults } = shortest.result;
  const failure = { seed, problems, faults: [...faults], excluded: shortest.excluded, trace: shortest.result.trace };
  return { ...report, failure };
}
