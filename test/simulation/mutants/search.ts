import type { Mutants } from './mutants.ts';

const UPDATE = 'lib/users/search/update.ts';

/** The search index. */
export const searchMutants: Mutants = {
  'search entry written whatever its version': {
    file: UPDATE,
    find: 'OR version < :version',
    replace: 'OR version <> :version OR attribute_exists(pk)',
  },
  'search entries of an old name stay': {
    file: UPDATE,
    find: '.filter((entry) => !isKept(entry))',
    replace: '.filter(() => false)',
  },
  'search entry only where there is none': {
    file: UPDATE,
    find: 'attribute_not_exists(pk) OR version < :version',
    replace: 'attribute_not_exists(pk) OR version < :version AND attribute_not_exists(version)',
  },
};
