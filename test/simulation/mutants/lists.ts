import type { Mutants } from './mutants.ts';

const [APPEND, BLOCKS] = ['lib/features/page-index/append.ts', 'lib/features/page-index/blocks.ts'];
const [FOLD, READER] = ['lib/features/page-index/fold.ts', 'lib/features/page-index/reader.ts'];
const ADJUSTMENTS = 'lib/features/page-index/adjustments.ts';
const RUN = 'lib/maintenance/run.ts';

export const searchMutants: Mutants = {
  'a search finds no address': {
    file: 'lib/features/search/entries.ts',
    find: '? [address, domain] : [address]',
    replace: '? [domain] : []',
  },
  'a search finds no domain': {
    file: 'lib/features/search/entries.ts',
    find: '? [address, domain] : [address]',
    replace: '? [address] : [address]',
  },
  'a search finds the first word only': {
    file: 'lib/features/search/text.ts',
    find: 'matchAll(WORD)].slice(0, maxWords)',
    replace: 'matchAll(WORD)].slice(0, 1)',
  },
  'a search finds no spelled-out letters': {
    file: 'lib/features/search/text.ts',
    find: '(letter) => SPELLED_OUT[letter] ?? letter',
    replace: '(letter) => letter',
  },
  'a search finds words in the typed order only': {
    file: 'lib/features/search/query.ts',
    find: 'const stages = [...inOrder, ...(longest ? [longest] : [])];',
    replace: 'const stages = inOrder.length > 0 ? inOrder : [longest ?? []];',
  },
  'a search checks only the longest word': {
    file: 'lib/features/search/search.ts',
    find: 'return words.every(isIn([...indexed, ...short])) && stages',
    replace: 'return stages',
  },
  'a search shows users of the first stage again': {
    file: 'lib/features/search/search.ts',
    find: ' || query.stages.slice(0, stage).some(isInStage)',
    replace: '',
  },
  'a search does without accents': {
    file: 'lib/input/text.ts',
    find: ".replace(/\\p{M}/gu, '')",
    replace: '',
  },
  'a search ends after its first page': {
    file: 'lib/features/search/search.ts',
    find: 'return { found, next: position && encodeSearchCursor(position) };',
    replace: 'return { found, next: undefined };',
  },
  'a next page of a search skips a match': {
    file: 'lib/features/search/search.ts',
    find: 'next: found[size - 1]?.cursor };',
    replace: 'next: found[size]?.cursor };',
  },
};

export const pageIndexMutants: Mutants = {
  'delete without a tombstone': {
    file: 'lib/users/companions.ts',
    find: '  tombstone,\n',
    replace: '',
  },
  'fold before settling': {
    file: FOLD,
    find: 'const settled = now() - SETTLING_MS;',
    replace: 'const settled = now();',
  },
  'fold into the top level only': { file: FOLD, find: 'block.level === 0 ?', replace: 'true ?' },
  'fold whatever is in the block already': {
    file: FOLD,
    find: 'const own = due.filter(({ time }) => time > block.countedUpTo);',
    replace: 'const own = due;',
  },
  'count without adjustments': {
    file: BLOCKS,
    find: 'sumDeltas(adjustments.selectInRange(block).filter(({ time }) => time > block.countedUpTo))',
    replace: '0 * adjustments.size',
  },
  'reader ignores countedUpTo': { file: BLOCKS, find: '.filter(({ time }) => time > block.countedUpTo)', replace: '' },
  'a fold without time is over': {
    file: FOLD,
    find: "if (!fold.hasTimeLeft()) return 'partial';",
    replace: "if (!fold.hasTimeLeft()) return 'complete';",
  },
  'a fold takes adjustments beyond those it has read': {
    file: FOLD,
    find: 'isComplete ? settled : (adjustments.at(-1)?.time ?? settled)',
    replace: 'isComplete || adjustments.length > 0 ? settled : 0',
  },
  'a reader leaves out some of the older adjustments': {
    file: ADJUSTMENTS,
    find: 'splitPeriod(neededFrom, readFrom, OLDER_PARTS).map',
    replace: 'splitPeriod(neededFrom, readFrom, OLDER_PARTS).slice(0, -1).map',
  },
  'adjustments are searched as if they were sorted': {
    file: ADJUSTMENTS,
    find: 'adjustments.toSorted((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))',
    replace: 'adjustments',
  },
  'tail with the deleted': { file: READER, find: 'ids.filter((id) => !deleted.has(id))', replace: 'ids' },
  'a page of the newest is in the order of the oldest': {
    file: 'lib/users/list.ts',
    find: 'createPage(users.toReversed(), start > 0)',
    replace: 'createPage(users, start > 0)',
  },
  'the newest are counted from the oldest': {
    file: 'lib/users/list.ts',
    find: 'const end = (await index.count()) - offset;',
    replace: 'const end = limit + offset;',
  },
  'append counts whom the directory still shows': {
    file: APPEND,
    find: 'else ids.delete(id);',
    replace: 'else if (change === undefined) ids.delete(id);',
  },
  'append leaves out whom a later adjustment subtracts': {
    file: APPEND,
    find: '- sumDeltas(later.get(id) ?? []) > 0',
    replace: '> 0',
  },
  'append decides although it is unclear what came last': {
    file: APPEND,
    find: "if (change === 'unclear') unclear.push(id);\n    else if",
    replace: 'if',
  },
  'a user returns without a return': {
    file: 'lib/users/companions.ts',
    find: '  userReturn,\n',
    replace: '',
  },
  'a return counts as a deletion': {
    file: 'lib/features/page-index/keys.ts',
    find: 'kind === RETURN ? 1 : -1',
    replace: '-1',
  },
  'readers leave out who has returned': {
    file: ADJUSTMENTS,
    find: "(change === 'deleted' ? id : [])",
    replace: '(change ? id : [])',
  },
  'a repair counts while the directory may not show who has returned': {
    file: 'lib/features/page-index/verify.ts',
    find: 'if (recent.some(({ delta }) => delta > 0)) return undefined;',
    replace: '',
  },
  'adjustments live a minute': {
    file: 'lib/features/page-index/timing.ts',
    find: 'ADJUSTMENT_RETENTION_MS = 7 * 24 * 3_600_000',
    replace: 'ADJUSTMENT_RETENTION_MS = 60_000',
  },
};

export const jobMutants: Mutants = {
  'a job that fails ends the run': {
    file: RUN,
    find: 'logFailure(error, { job: job.name });',
    replace: 'logFailure(error, { job: job.name });\n  throw error;',
  },
  'one job has all of the time': {
    file: RUN,
    find: 'const started = jobs.map(',
    replace: 'const started = jobs.slice(0, 1).map(',
  },
};

const ENTRIES = 'lib/features/filters/entries.ts';

export const filterMutants: Mutants = {
  'users have no list entries': {
    file: 'lib/users/derived.ts',
    find: '[listClaims, listSearchEntries, listListEntries];',
    replace: '[listClaims, listSearchEntries];',
  },
  'a default is no filter value': {
    file: ENTRIES,
    find: 'return [...new Set(texts)].slice(0, countFilterEntries(field));',
    replace: 'return texts.filter((text) => text !== field.default);',
  },
  'a changed value keeps its list entry': {
    file: 'lib/users/derived.ts',
    find: 'const deleted = recorded.filter((text) => !wanted.has(text)',
    replace: "const deleted = recorded.filter((text) => (!after || !text.startsWith('LIST#')) && !wanted.has(text)",
  },
  'a deletion leaves list entries': {
    file: 'lib/users/derived.ts',
    find: 'const deleted = recorded.filter((text) => !wanted.has(text)',
    replace: "const deleted = recorded.filter((text) => (after || !text.startsWith('LIST#')) && !wanted.has(text)",
  },
  'a user without a value has no sort entry': {
    file: ENTRIES,
    find: '...sortNames.map((name) => ({',
    replace: '...sortNames.filter((name) => encodeSortText(user, name) !== undefined).map((name) => ({',
  },
  'users are sorted by their names as typed': {
    file: 'lib/features/filters/keys.ts',
    find: 'truncate(normalizeText(truncate(text, MAX_NORMALIZED_LENGTH)), MAX_SORT_LENGTH)',
    replace: 'truncate(text, MAX_SORT_LENGTH)',
  },
  'numbers are sorted by their digits': {
    file: 'lib/features/filters/keys.ts',
    find: "typeof value === 'number' ? encodeNumber(value)",
    replace: "typeof value === 'number' ? String(value)",
  },
};
