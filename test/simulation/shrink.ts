import type { Service } from './environment/service.ts';
import { type Result, simulate } from './simulate.ts';
import { createPlan } from './workload/plan.ts';

/**
 * Leaves out operations and faults, in ever smaller parts, as long as the history still fails. What is left fails, and
 * without any one of its parts it does not. A. Zeller, "Simplifying and Isolating Failure-Inducing Input" (2002).
 */
export async function shrink(service: Service, seed: string): Promise<{ excluded: string[]; result: Result }> {
  let excluded: string[] = [];
  let result = await simulate(service, seed);
  const fails = async (more: string[]) => {
    const tried = await simulate(service, seed, new Set([...excluded, ...more]));
    if (tried.problems.length === 0) return false;
    [excluded, result] = [[...excluded, ...more], tried];
    return true;
  };
  const { users, posts, parts, subscriptions, indexRuns } = createPlan(seed);
  const operations = parts.flatMap(({ clients }) => clients.map((steps) => steps.map(({ id }) => id)));
  for (const ids of operations) await fails(ids);
  const calls = operations.flat().filter((id) => !excluded.includes(id));
  const runs = [
    ...indexRuns.map((_, at) => `index${at + 1}`),
    ...subscriptions.map(({ topic }) => `subscriber-${topic}`),
  ];
  const initial = [users.map((_, at) => `user${at}`), Array.from({ length: posts }, (_, at) => `post${at}`)];
  for (const ids of [calls, runs, ...initial]) await leaveOut(ids, fails);
  // Other faults are met once some are left out.
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
