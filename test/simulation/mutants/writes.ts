import type { Mutants } from './patches.ts';

/** Bugs in the handling of lost answers, conflicts and repeated requests. */
export const writeMutants: Mutants = {
  'a search returns users who do not match': {
    file: 'lib/features/search/search.ts',
    find: 'matches: (user) => user.id === query.id || matchesTexts(listTexts(user), query)',
    replace: 'matches: () => true',
  },
  'a lost answer is reported as a conflict': {
    file: 'lib/dynamodb/conditional.ts',
    find: 'if (failure.item?.writeId === writeId) return {};\n        if (outcomeUnknown) throw unavailable();',
    replace: '',
  },
  'transaction conflicts are not retried': {
    file: 'lib/dynamodb/transact.ts',
    find: "if (hasCode(/^TransactionConflict/)) return { kind: 'conflict' };",
    replace: '',
  },
  'a create stores no idempotency record': {
    file: 'lib/users/write.ts',
    find: 'if (idempotency && after)',
    replace: 'if (write.idempotency && after && false)',
  },
  'an idempotency key accepts another body': {
    file: 'lib/idempotency.ts',
    find: 'if (first.body !== body) throw',
    replace: 'if (false) throw',
  },
  'retries have no deadline': {
    file: 'lib/dynamodb/requests.ts',
    find: 'const timer = setTimeout(() => controller.abort(), ms);',
    replace: 'const timer = undefined; ms = 60_000;',
  },
  'an idempotency record expires after an hour': {
    file: 'lib/idempotency.ts',
    find: 'RETENTION_SECONDS = 24 * 3600;',
    replace: 'RETENTION_SECONDS = 3600;',
  },
};

export const actorMutants: Mutants = {
  "an update keeps the previous version's author": {
    file: 'lib/users/write.ts',
    find: '{ name, email, updatedAt, version, by }),',
    replace: '{ name, email, updatedAt, version, by: before.user.by ?? by }),',
  },
  "a deletion record has the previous version's number": {
    file: 'lib/features/change-log/deletions.ts',
    find: 'version: post.version + 1 }',
    replace: 'version: post.version }',
  },
  'a history starts at the oldest version': {
    file: 'lib/features/change-log/read.ts',
    find: 'ScanIndexForward: false,\n  };',
    replace: 'ScanIndexForward: true,\n  };',
  },
  'a page of a history skips a version': {
    file: 'lib/features/history/history.ts',
    find: 'kept.slice(0, limit)',
    replace: 'kept.slice(0, limit).filter((_, at) => at === 0 || after === undefined)',
  },
};

export const postMutants: Mutants = {
  'a post is created without a check of its author': {
    file: 'lib/posts/write.ts',
    find: 'author: authorCheck(authorId),\n    post:',
    replace: 'author: undefined,\n    post:',
  },
  'an update of a post does not check its version': {
    file: 'lib/posts/write.ts',
    find: "'version = :read',\n  ExpressionAttributeNames",
    replace: "'version = :read OR attribute_exists(pk)',\n  ExpressionAttributeNames",
  },
  'posts of a deleted user are not purged': {
    file: 'lib/posts/purge.ts',
    find: 'return purge && purgePosts(purge);',
    replace: 'return purge && Date.now() < 0 && purgePosts(purge);',
  },
  'createPost writes two posts': {
    file: 'lib/posts/write.ts',
    find: 'post: newPostItem(Key, post, createdAt),',
    replace:
      'post: newPostItem(Key, post, createdAt), twin: newPostItem(newPostKey(authorId, uuidv7()), post, createdAt),',
  },
  'the next page of posts repeats the last post': {
    file: 'lib/posts/read.ts',
    find: '.filter(({ sk }) => sk !== start.sk)',
    replace: '.filter(() => true)',
  },
};
