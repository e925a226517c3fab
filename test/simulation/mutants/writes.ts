import type { Mutants } from './mutants.ts';

/** Mutants of the handling of lost answers, conflicts and repeated requests. */
export const writeMutants: Mutants = {
  'a search shows users who do not match': {
    file: 'lib/features/search/search.ts',
    find: 'return user && isFoundBy(user, entry, query, stage)',
    replace: 'return user',
  },
  'writeId is ignored': {
    file: 'lib/dynamodb/conditional.ts',
    find: "if (item?.writeId === this.#writeId) return { kind: 'written', item };",
    replace: '',
  },
  'a repeated write that failed is a failure': {
    file: 'lib/dynamodb/conditional.ts',
    find: "if (item?.writeId === this.#writeId) return { kind: 'written', item };\n      if (this.outcomeUnknown) throw unavailable();",
    replace: '',
  },
  'a new token for each attempt': {
    file: 'lib/dynamodb/client.ts',
    find: 'addCapacityMiddleware(table);',
    replace: `addCapacityMiddleware(table);
table.middlewareStack.add((next) => (args: any) => {
  args.request.body = args.request.body.replace(/("ClientRequestToken":")[^"]*/, (_: string, name: string) => name + Math.random());
  return next(args);
}, { step: 'finalizeRequest', priority: 'low', name: 'mutant' });`,
  },
  'conflicts are not repeated': {
    file: 'lib/dynamodb/transact.ts',
    find: "if (hasCode(/^TransactionConflict/)) return { kind: 'conflict' };",
    replace: '',
  },
  'a new token after an answer was lost': {
    file: 'lib/users/write.ts',
    find: 'if (outcomeUnknown) continue;',
    replace: '',
  },
  'create without the idempotency record': {
    file: 'lib/users/write.ts',
    find: 'if (write.idempotency && after)',
    replace: 'if (write.idempotency && after && false)',
  },
  'idempotency record is overwritten': {
    file: 'lib/idempotency.ts',
    find: "'attribute_not_exists(pk) OR expiresAt <= :now'",
    replace: "'attribute_not_exists(pk) OR expiresAt > :now'",
  },
  'another body under the same key': {
    file: 'lib/idempotency.ts',
    find: 'if (first.body !== body) throw',
    replace: 'if (false) throw',
  },
  'no deadline': {
    file: 'lib/dynamodb/requests.ts',
    find: 'const timer = setTimeout(() => controller.abort(), ms);',
    replace: 'const timer = undefined; ms = 60_000;',
  },
  'an idempotency key forgets its operation': {
    file: 'lib/idempotency.ts',
    find: 'hash(caller, operation, key)',
    replace: 'hash(caller, key)',
  },
  'an idempotency key forgets its caller': {
    file: 'lib/idempotency.ts',
    find: 'hash(caller, operation, key)',
    replace: 'hash(operation, key)',
  },
  'an idempotency key lasts an hour': {
    file: 'lib/idempotency.ts',
    find: 'RETENTION_SECONDS = 24 * 3600;',
    replace: 'RETENTION_SECONDS = 3600;',
  },
  'an idempotency key lasts until the database deletes it': {
    file: 'lib/idempotency.ts',
    find: "'attribute_not_exists(pk) OR expiresAt <= :now'",
    replace: "'attribute_not_exists(pk) OR expiresAt < :now AND attribute_not_exists(expiresAt)'",
  },
  'a repetition shows its own time': {
    file: 'lib/users/write.ts',
    find: 'newUser(input, by, result.first)',
    replace: 'newUser(input, by, { id: result.first.id, createdAt: new Date().toISOString() })',
  },
};

/** Mutants of the caller (`by`) stored with a write. */
export const actorMutants: Mutants = {
  'an update keeps who made the version before': {
    file: 'lib/users/write.ts',
    find: '{ name, email, updatedAt, version, by }),',
    replace: '{ name, email, updatedAt, version, by: before.user.by ?? by }),',
  },
  'a change of a post keeps who made the version before': {
    file: 'lib/posts/write.ts',
    find: "':by': by,",
    replace: "':by': post.by ?? by,",
  },
  'everybody is anonymous to GraphQL': {
    file: 'lib/graphql/schema/mutations.ts',
    find: 'formatCaller(access.caller)',
    replace: "formatCaller(access.caller && 'anonymous')",
  },
  'a user is deleted without a record': {
    file: 'lib/users/companions.ts',
    find: '  deletionRecord,\n',
    replace: '',
  },
  'a post is deleted without a record': {
    file: 'lib/posts/companions.ts',
    find: '[postDeletionRecord]',
    replace: '[]',
  },
  'a record of a deletion is of the version before': {
    file: 'lib/features/change-log/deletions.ts',
    find: 'version: post.version + 1 }',
    replace: 'version: post.version }',
  },
  'records of deletions are read eventually': {
    file: 'lib/features/change-log/deletions.ts',
    find: 'getItems(keys, { ConsistentRead: true })',
    replace: 'getItems(keys, { ConsistentRead: false })',
  },
  'a record of a deletion lasts an hour': {
    file: 'lib/features/change-log/deletions.ts',
    find: 'RETENTION_SECONDS = 48 * 3600;',
    replace: 'RETENTION_SECONDS = 3600;',
  },
  'subscribers are told of another actor': {
    file: 'lib/features/change-log/versions.ts',
    find: '  ...change,\n  user:',
    replace: "  ...change,\n  by: 'system',\n  user:",
  },
  'a history is told from its beginning': {
    file: 'lib/features/change-log/read.ts',
    find: 'ScanIndexForward: false,\n  };',
    replace: 'ScanIndexForward: true,\n  };',
  },
  'a record before a change has the values after it': {
    file: 'lib/features/change-log/versions.ts',
    find: '{ ...item, ...before }',
    replace: '{ ...before, ...item }',
  },
  'a page of a history leaves one out': {
    file: 'lib/features/history/history.ts',
    find: 'shown.slice(0, limit)',
    replace: 'shown.slice(0, limit).filter((_, at) => at === 0 || after === undefined)',
  },
  'a post is deleted whatever its version': {
    file: 'lib/posts/write.ts',
    find: "'version = :read',\n    ExpressionAttributeValues",
    replace: "'version = :read OR attribute_exists(pk)',\n    ExpressionAttributeValues",
  },
};

export const postMutants: Mutants = {
  'post without a check of its author': {
    file: 'lib/posts/write.ts',
    find: 'author: requireAuthor(authorId),',
    replace: 'author: undefined,',
  },
  'post changed whatever its version': {
    file: 'lib/posts/write.ts',
    find: "'version = :read',\n  ExpressionAttributeNames",
    replace: "'version = :read OR attribute_exists(pk)',\n  ExpressionAttributeNames",
  },
  'publish again': {
    file: 'lib/posts/write.ts',
    find: 'post.publishedAt ? undefined : ',
    replace: 'false ? undefined : ',
  },
  'no purge': {
    file: 'lib/posts/purge.ts',
    find: 'return purge && purgePosts(purge);',
    replace: 'return purge && Date.now() < 0 && purgePosts(purge);',
  },
  'purge of one part only': {
    file: 'lib/posts/purge.ts',
    find: 'if (hasMore) await',
    replace: 'if (false) await',
  },
  'purge forgets what a batch did not do': {
    file: 'lib/dynamodb/batch.ts',
    find: 'requests = UnprocessedItems?.[TableName] ?? [];',
    replace: 'requests = [];',
  },
  'every createPost writes two posts': {
    file: 'lib/posts/write.ts',
    find: 'post: putNewPost(Key, post, createdAt),',
    replace:
      'post: putNewPost(Key, post, createdAt), twin: putNewPost(newPostKey(authorId, uuidv7()), post, createdAt),',
  },
  'a post is published when the request comes': {
    file: 'lib/posts/write.ts',
    find: 'publishedAt?.toISOString() ?? timestamp()',
    replace: 'new Date().toISOString()',
  },
  'a change of the title unpublishes': {
    file: 'lib/posts/write.ts',
    find: '(title === undefined ? undefined : { title })',
    replace: '(title === undefined ? undefined : { title, publishedAt: null })',
  },
  'the next page of posts begins with the last post': {
    file: 'lib/posts/read.ts',
    find: '.filter(({ sk }) => sk !== start.sk)',
    replace: '.filter(() => true)',
  },
  'a list of posts ends where a query does': {
    file: 'lib/posts/read.ts',
    find: 'while (ExclusiveStartKey && posts.length < limit)',
    replace: 'while (ExclusiveStartKey && limit < 0)',
  },
  'a purge spares the first post of a part': {
    file: 'lib/posts/purge.ts',
    find: 'Items.map((Key, at) =>',
    replace: 'Items.slice(1).map((Key, at) =>',
  },
};
