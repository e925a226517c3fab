import type { Mutants } from './mutants.ts';

const folder = 'lib/users/page-index';
const [APPEND, BLOCKS, FOLD, READER] = ['append', 'blocks', 'fold', 'reader'].map((name) => `${folder}/${name}.ts`) as [
  string,
  string,
  string,
  string,
];

/** Blocks, tombstones and the readers of both. */
export const pageIndexMutants: Mutants = {
  'delete without a tombstone': {
    file: 'lib/users/delete.ts',
    find: 'tombstone: putTombstone(id),',
    replace: 'tombstone: undefined,',
  },
  'fold before settling': {
    file: FOLD,
    find: 'const settled = now() - SETTLING_MS;',
    replace: 'const settled = now();',
  },
  'fold into the top level only': { file: FOLD, find: 'block.level === 0 ||', replace: 'true ||' },
  'fold whatever is in the block already': {
    file: FOLD,
    find: 'const own = due.filter(({ time }) => time > block.countedUpTo);',
    replace: 'const own = due;',
  },
  'block written whatever its version': {
    file: BLOCKS,
    find: "'#count = :countRead AND",
    replace: "'attribute_exists(pk) OR #count = :countRead AND",
  },
  'count without tombstones': {
    file: BLOCKS,
    find: 'block.count - tombstones',
    replace: 'block.count - [].concat(tombstones as never).slice(0, 0)',
  },
  'reader ignores countedUpTo': { file: BLOCKS, find: 'time > block.countedUpTo && isInRange', replace: 'isInRange' },
  'tail with the deleted': { file: READER, find: 'ids.filter((id) => !deleted.has(id))', replace: 'ids' },
  'newest first from the oldest block on': {
    file: READER,
    find: 'blocks.toReversed()',
    replace: 'blocks',
  },
  'append before settling': {
    file: APPEND,
    find: 'minUuidAt(now() - SETTLING_MS)',
    replace: 'minUuidAt(now() + 1000)',
  },
  'append counts whom the directory still shows': {
    file: APPEND,
    find: 'if (time <= countedUpTo) ids.delete(id);\n    else if',
    replace: 'if (time > countedUpTo)\n      if',
  },
  'append forgets whom a tombstone names': {
    file: APPEND,
    find: 'else if (isInRange(id, range)) ids.add(id);',
    replace: '',
  },
  'tombstones live a minute': {
    file: `${folder}/timing.ts`,
    find: 'TOMBSTONE_RETENTION_MS = 7 * 24 * 3_600_000',
    replace: 'TOMBSTONE_RETENTION_MS = 60_000',
  },
  'pages skip whom the directory still shows': {
    file: 'lib/users/directory.ts',
    find: 'left -= Count - Items.filter(({ pk }) => deleted.has(parseUserId(pk))).length;',
    replace: 'left -= Count;',
  },
};
