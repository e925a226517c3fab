import type { Mutants } from './patches.ts';

const MERGE = 'lib/features/merge/merge.ts';
const UNDO = 'lib/features/merge/undo.ts';
const POSTS = 'lib/features/merge/posts.ts';

export const mergeMutants: Mutants = {
  'a repeated merge finds no user': {
    file: MERGE,
    find: '?.mergedInto === keep) return { kept };',
    replace: '?.mergedInto === remove) return { kept };',
  },
  'an undo overwrites later changes': {
    file: UNDO,
    find: 'if (!isEqualJson(now?.[name], merged?.[name]) || blocks.includes(name)) return [];',
    replace: '',
  },
  'a merge frees the values of the deleted user first': {
    file: 'lib/users/write.ts',
    find: "ConditionExpression: 'attribute_not_exists(pk) OR userId = :userId',",
    replace: "ConditionExpression: 'attribute_not_exists(pk) AND userId <> :userId',",
  },
  'a moved post loses its title': {
    file: POSTS,
    find: 'const written = { version',
    replace: "const written = { title: '', version",
  },
  'posts of an undone merge stay': {
    file: POSTS,
    find: 'return isReturn ? returnPart(id, after) : undefined;',
    replace: 'return isReturn && Date.now() < 0 ? returnPart(id, after) : undefined;',
  },
};
