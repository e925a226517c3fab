import type { Patch } from './environment/patches.ts';

/** One mechanism of the service, broken on purpose, and within how many histories the simulator has to find it. */
export type Mutant = { name: string; patches: Patch[]; within: number };

export function findMutant(name: string): Mutant {
  const mutant = mutants.find((each) => each.name === name);
  if (!mutant)
    throw new Error(`No mutant is called ${name}. There are: ${mutants.map((each) => each.name).join(', ')}`);
  return mutant;
}

export const mutants: Mutant[] = [];
