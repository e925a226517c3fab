import { changeLogMutants, eventMutants } from './changes.ts';
import { groupMutants, membershipMutants } from './groups.ts';
import { filterMutants, jobMutants, pageIndexMutants, searchMutants } from './lists.ts';
import { mergeMutants } from './merges.ts';
import { deletionByHandMutants, importMutants, reorderingMutants } from './operators.ts';
import type { Mutants, Patch } from './patches.ts';
import { repairMutants } from './repairs.ts';
import { erasureMutants, ownFieldMutants, returnMutants, userMutants } from './users.ts';
import { actorMutants, postMutants, writeMutants } from './writes.ts';

const mutants: Mutants = {
  ...searchMutants,
  ...filterMutants,
  ...userMutants,
  ...ownFieldMutants,
  ...writeMutants,
  ...actorMutants,
  ...postMutants,
  ...changeLogMutants,
  ...eventMutants,
  ...erasureMutants,
  ...returnMutants,
  ...mergeMutants,
  ...repairMutants,
  ...deletionByHandMutants,
  ...importMutants,
  ...reorderingMutants,
  ...pageIndexMutants,
  ...jobMutants,
  ...membershipMutants,
  ...groupMutants,
};

export const mutantNames = Object.keys(mutants);

export function findMutant(name: string): Patch {
  const mutant = mutants[name];
  if (!mutant) throw new Error(`No mutant is called ${name}. There are: ${mutantNames.join(', ')}`);
  return mutant;
}
