import type { Mutants } from './patches.ts';

const BLOCKS = 'lib/features/page-index/blocks.ts';
const FOLD = 'lib/features/page-index/fold.ts';
const RUN = 'lib/maintenance/run.ts';

export const searchMutants: Mutants = {
  'a search finds no email address': {
    file: 'lib/features/search/entries.ts',
    find: '? [address, domain] : [address]',
    replace: '? [domain] : []',
  },
  'a search returns users of its first stage twice': {
    file: 'lib/features/search/search.ts',
    find: 'if (query.stages.slice(0, stage).some(isInStage)) return false;',
    replace: 'isInStage([]);',
  },
};

export const pageIndexMutants: Mutants = {
  'a deletion writes no tombstone': {
    file: 'lib/users/companions.ts',
    find: '  tombstone,\n',
    replace: '',
  },
  'a block is folded before late writes have settled': {
    file: FOLD,
    find: 'const settled = environment.now() - SETTLING_MS;',
    replace: 'const settled = environment.now();',
  },
  'totals ignore adjustments': {
    file: BLOCKS,
    find: 'sumDeltas(adjustments.selectInRange(block).filter(({ time }) => time > block.countedUpTo))',
    replace: '0 * adjustments.size',
  },
  'a newest-first page is counted from the oldest user': {
    file: 'lib/users/list.ts',
    find: 'const end = (await index.count()) - offset;',
    replace: 'const end = limit + offset;',
  },
  'a returning user writes no adjustment': {
    file: 'lib/users/companions.ts',
    find: '  userReturn,\n',
    replace: '',
  },
  'adjustments expire after a minute': {
    file: 'lib/features/page-index/timing.ts',
    find: 'ADJUSTMENT_RETENTION_MS = 7 * 24 * 3_600_000',
    replace: 'ADJUSTMENT_RETENTION_MS = 60_000',
  },
};

export const jobMutants: Mutants = {
  'a failed job ends the maintenance run': {
    file: RUN,
    find: 'logFailure(error, { job: job.name });',
    replace: 'logFailure(error, { job: job.name });\n  throw error;',
  },
};

export const filterMutants: Mutants = {
  'users have no filter entries': {
    file: 'lib/users/derived.ts',
    find: '[listClaims, listSearchEntries, listListEntries];',
    replace: '[listClaims, listSearchEntries];',
  },
  'a changed value keeps its filter entry': {
    file: 'lib/users/derived.ts',
    find: 'const deleted = considered.filter((text) => ',
    replace: "const deleted = considered.filter((text) => (!after || !text.startsWith('LIST#')) && ",
  },
  'a deletion keeps filter entries': {
    file: 'lib/users/derived.ts',
    find: 'const deleted = considered.filter((text) => ',
    replace: "const deleted = considered.filter((text) => (after || !text.startsWith('LIST#')) && ",
  },
  'a page of a sorted list ends with the first answer': {
    file: 'lib/users/entries.ts',
    find: 'while (query.ExclusiveStartKey && keys.length < limit)',
    replace: 'while (query.ExclusiveStartKey && keys.length < 0)',
  },
  'users without a value come first in a descending list': {
    file: 'lib/features/filters/criteria.ts',
    find: ': [WITH_A_VALUE, WITHOUT_A_VALUE]',
    replace: ': [{ from: FIRST, to: END }]',
  },
  'users are sorted by names that are not normalized': {
    file: 'lib/features/filters/keys.ts',
    find: 'truncate(normalizeText(truncate(text, MAX_NORMALIZED_LENGTH)))',
    replace: 'truncate(text)',
  },
  'the next page of a filtered list skips a user': {
    file: 'lib/users/join.ts',
    find: 'return { ids, next: ids.at(-1) };',
    replace: 'return { ids, next: this.#found[0] };',
  },
  'a filter of two values finds only the first': {
    file: 'lib/users/join.ts',
    find: 'const ids = list.flatMap((partition) => partition.ids);',
    replace: 'const ids = list.slice(0, 1).flatMap((partition) => partition.ids);',
  },
  'two filters skip the first user whom both find': {
    file: 'lib/users/join.ts',
    find: 'lists.every((list) => list.has(id))',
    replace: 'lists.every((list) => list.has(id)) && (lists.length === 1 || id !== heads[0])',
  },
  'filters do not check the users whom they have loaded': {
    file: 'lib/users/matching.ts',
    find: '(isCurrent?.(user) ?? true) && criteria.every((criterion) => criterion.matches(user))',
    replace: '(isCurrent?.(user) ?? criteria.length >= 0)',
  },
};
