import type { Executed } from './database/database.ts';
import { silenceConsole } from './environment/globals.ts';
import { startService } from './environment/service.ts';
import { findMutant } from './mutants/mutants.ts';

export type RunOptions = {
  seed: number;
  histories: number;
  /** Number of processes. Undefined means one per core. */
  workers: number | undefined;
  mutant: string | undefined;
  /** Operations and faults to skip, by id. */
  excluded: string[];
  /** Also prints passing histories. */
  trace: boolean;
  /** Reduces failing histories to the needed operations and faults. */
  shrinks: boolean;
  /** Reports also contain the requests that the simulated database executed. */
  records: boolean;
  /** Continues after a failing history. */
  goesOn: boolean;
};

export type Task = Pick<RunOptions, 'excluded' | 'trace' | 'shrinks' | 'records'> & { seeds: number[] };
export type Failure = {
  seed: number;
  problems: string[];
  faults: [id: string, fault: string][];
  excluded: string[];
  trace: string[];
};
export type Report = { done: number; failure?: Failure; hash?: string; executed?: Executed[] };

const mutant = process.argv[2];
const service = await startService(mutant ? [findMutant(mutant)] : []);
// Imported after startService, so that these modules use virtual time.
const { simulate } = await import('./simulate.ts');
const { createPlan } = await import('./workload/plan.ts');
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
  const shortest = shrinks ? await shrink(String(seed)) : { excluded, result };
  const { problems, faults } = shortest.result;
  const failure = { seed, problems, faults: [...faults], excluded: shortest.excluded, trace: shortest.result.trace };
  return { ...report, failure };
}

/**
 * Removes operations and faults as long as the history still fails. A. Zeller, "Simplifying and Isolating
 * Failure-Inducing Input" (2002).
 */
async function shrink(seed: string) {
  let excluded: string[] = [];
  let result = await simulate(service, seed);
  const fails = async (more: string[]) => {
    const tried = await simulate(service, seed, new Set([...excluded, ...more]));
    if (tried.problems.length === 0) return false;
    [excluded, result] = [[...excluded, ...more], tried];
    return true;
  };
  const { users, posts, parts, subscriptions, indexRuns, repair } = createPlan(seed);
  const clients = [...parts.flatMap((part) => part.clients), ...(repair?.parts ?? [])];
  const operations = clients.map((steps) => steps.map(({ id }) => id));
  for (const ids of operations) await fails(ids);
  const calls = operations.flat().filter((id) => !excluded.includes(id));
  const runs = [
    ...indexRuns.map((_, at) => `index${at + 1}`),
    ...(repair?.runs ?? []).map((_, at) => `repair${at + 1}`),
    ...subscriptions.map(({ topic }) => `subscriber-${topic}`),
  ];
  const initial = [users.map((_, at) => `user${at}`), Array.from({ length: posts }, (_, at) => `post${at}`)];
  for (const ids of [calls, runs, ...initial]) await leaveOut(ids, fails);
  // Repeat while the number of faults changes: removing faults may cause others.
  for (let met = 0; met !== result.faults.size; ) {
    met = result.faults.size;
    await leaveOut([...result.faults.keys()], fails);
  }
  return { excluded, result };
}

async function leaveOut(ids: string[], fails: (ids: string[]) => Promise<boolean>): Promise<void> {
  for (let size = ids.length; size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < ids.length; ) {
      const part = ids.slice(from, from + size);
      if (await fails(part)) ids.splice(from, size);
      else from += size;
    }
}
