import type { Mutants } from './mutants.ts';

const UPDATE = 'lib/users/search/entries.ts';

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
  'search markers live a second': {
    file: 'lib/users/search/entries.ts',
    find: 'MARKER_RETENTION_SECONDS = 48 * 3600;',
    replace: 'MARKER_RETENTION_SECONDS = 1;',
  },
  'search entries keep their first version': {
    file: 'lib/users/search/entries.ts',
    find: '    email,\n    version,',
    replace: '    email,\n    version: 1,',
  },
  'a search finds no address': {
    file: 'lib/users/search/text.ts',
    find: ', normalizeText(email)].filter(isLongEnough)',
    replace: '].filter(isLongEnough)',
  },
  'a search finds the first word only': {
    file: 'lib/users/search/text.ts',
    find: '.slice(0, MAX_WORDS)',
    replace: '.slice(0, 1)',
  },
  'a search does without accents': {
    file: 'lib/users/search/text.ts',
    find: ".replace(/\\p{M}/gu, '')",
    replace: '',
  },
  'a search ends after its first page': {
    file: 'lib/users/search/search.ts',
    find: '...(next ? { next } : {}),',
    replace: '...(next && matches.length < 0 ? { next } : {}),',
  },
  'a next page of a search skips a match': {
    file: 'lib/users/search/search.ts',
    find: 'const next = matches.length > limit ? shown.at(-1)?.cursor :',
    replace: 'const next = matches.length > limit ? matches[limit]?.cursor :',
  },
};
