import type { Mutants } from './mutants.ts';

/** Posts and their authors. */
export const postMutants: Mutants = {
  'post without a check of its author': {
    file: 'lib/posts/create.ts',
    find: 'author: requireAuthor(authorId),',
    replace: 'author: undefined,',
  },
  'post changed whatever its version': {
    file: 'lib/posts/update.ts',
    find: "ConditionExpression: 'version = :read',",
    replace: "ConditionExpression: 'version = :read OR attribute_exists(pk)',",
  },
  'publish again': {
    file: 'lib/posts/update.ts',
    find: 'post.publishedAt ? undefined : ',
    replace: 'false ? undefined : ',
  },
  'no purge': {
    file: 'lib/change-log/consume.ts',
    find: 'return purge && purgePosts(purge);',
    replace: 'return purge && Date.now() < 0 && purgePosts(purge);',
  },
  'purge of one part only': {
    file: 'lib/posts/purge.ts',
    find: 'if (LastEvaluatedKey) await',
    replace: 'if (false) await',
  },
  'purge forgets what a batch did not do': {
    file: 'lib/dynamodb/batches.ts',
    find: 'requests = UnprocessedItems?.[TableName] ?? [];',
    replace: 'requests = [];',
  },
};
