import type { Patch } from '../environment/service.ts';
import { changeLogMutants } from './change-log.ts';
import { pageIndexMutants } from './page-index.ts';
import { postMutants } from './posts.ts';
import { searchMutants } from './search.ts';
import { userMutants } from './users.ts';
import { writeMutants } from './writes.ts';

/** One mechanism of the service, broken on purpose: what its source has instead. */
export type Mutants = Record<string, Patch>;

const mutants: Mutants = {
  ...searchMutants,
  ...userMutants,
  ...writeMutants,
  ...postMutants,
  ...changeLogMutants,
  ...pageIndexMutants,
};

export const mutantNames = Object.keys(mutants);

export function findMutant(name: string): Patch {
  const mutant = mutants[name];
  if (!mutant) throw new Error(`No mutant is called ${name}. There are: ${mutantNames.join(', ')}`);
  return mutant;
}
