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
    file: 'lib/on-change/stream-batch.ts',
    find: 'return purge && purgePosts(purge);',
    replace: 'return purge && Date.now() < 0 && purgePosts(purge);',
  },
  'purge of one part only': {
    file: 'lib/on-change/purge.ts',
    find: 'if (LastEvaluatedKey) await',
    replace: 'if (false) await',
  },
  'purge forgets what a batch did not do': {
    file: 'lib/dynamodb/batches.ts',
    find: 'requests = UnprocessedItems?.[TableName] ?? [];',
    replace: 'requests = [];',
  },
  'every createPost writes two posts': {
    file: 'lib/posts/create.ts',
    find: 'post: putNewPost(Key, post, createdAt),',
    replace:
      'post: putNewPost(Key, post, createdAt), twin: putNewPost(newPostKey(authorId, uuidv7()), post, createdAt),',
  },
  'a post is published when the request comes': {
    file: 'lib/posts/update.ts',
    find: 'publishedAt?.toISOString() ?? timestamp()',
    replace: 'new Date().toISOString()',
  },
  'a change of the title unpublishes': {
    file: 'lib/posts/update.ts',
    find: '(title === undefined ? undefined : { title })',
    replace: '(title === undefined ? undefined : { title, publishedAt: null })',
  },
  'the next page of posts begins with the last post': {
    file: 'lib/posts/list.ts',
    find: '.filter(({ sk }) => sk !== start.sk)',
    replace: '.filter(() => true)',
  },
  'a list of posts ends where a query does': {
    file: 'lib/posts/list.ts',
    find: 'while (ExclusiveStartKey && posts.length < limit)',
    replace: 'while (ExclusiveStartKey && limit < 0)',
  },
  'a purge spares the first post of a part': {
    file: 'lib/on-change/purge.ts',
    find: 'deleteItems(Items as Key[])',
    replace: 'deleteItems(Items.slice(1) as Key[])',
  },
};
