import type { Mutants } from './mutants.ts';

const WRITES = 'lib/dynamodb/conditional-writes.ts';
const TRANSACTIONS = 'lib/dynamodb/transactions.ts';
const APPEND = 'lib/change-log/append.ts';
const SUBSCRIPTIONS = 'lib/graphql/schema/subscriptions.ts';

/** They are about lost answers, conflicts and repeated requests. */
export const writeMutants: Mutants = {
  'writeId is ignored': { file: WRITES, find: 'if (item?.writeId === writeId) return { item };', replace: '' },
  'a repeated write that failed is a failure': {
    file: WRITES,
    find: 'if (item?.writeId === writeId) return { item };\n      // An earlier request may have written, and another write replaced that: nobody can know.\n      if (outcomeUnknown) throw unavailable();',
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
    file: TRANSACTIONS,
    find: 'if (readCodes(error).some((code) => CONFLICT.test(code) || THROTTLED.test(code))) return AGAIN;',
    replace: '',
  },
  'a new token after an answer was lost': {
    file: TRANSACTIONS,
    find: 'if (!attempt.outcomeUnknown) attempt = undefined;',
    replace: 'attempt = undefined;',
  },
  'create without the idempotency record': {
    file: 'lib/users/create.ts',
    find: 'idempotency: record?.item(user) }',
    replace: 'idempotency: undefined }',
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
    file: 'lib/dynamodb/deadline.ts',
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
    file: 'lib/users/create.ts',
    find: 'newUser(input, by, record.replay(failures.idempotency))',
    replace: 'newUser(input, by, { ...record.replay(failures.idempotency), createdAt: new Date().toISOString() })',
  },
};

/** They are about who makes a write. */
export const actorMutants: Mutants = {
  'an update keeps who made the version before': {
    file: 'lib/users/transaction-items.ts',
    find: "':by': by,",
    replace: "':by': user.by ?? by,",
  },
  'a change of a post keeps who made the version before': {
    file: 'lib/posts/update.ts',
    find: "':by': by,",
    replace: "':by': post.by ?? by,",
  },
  'everybody is anonymous to GraphQL': {
    file: 'lib/graphql/schema/mutations.ts',
    find: 'formatCaller(access.caller)',
    replace: "formatCaller(access.caller && 'anonymous')",
  },
  'a user is deleted without a record': {
    file: 'lib/users/delete.ts',
    find: 'deletion: putDeletion(userKey(id), { by, version: version + 1 }),',
    replace: 'deletion: undefined,',
  },
  'a post is deleted without a record': {
    file: 'lib/posts/delete.ts',
    find: 'deletion: putDeletion(Key, { by, version: version + 1 }),',
    replace: 'deletion: undefined,',
  },
  'a record of a deletion is of the version before': {
    file: 'lib/posts/delete.ts',
    find: '{ by, version: version + 1 }',
    replace: '{ by, version }',
  },
  'records of deletions are read eventually': {
    file: 'lib/deletions.ts',
    find: 'keys.map(deletionKey), { ConsistentRead: true }',
    replace: 'keys.map(deletionKey), { ConsistentRead: false }',
  },
  'a record of a deletion lasts an hour': {
    file: 'lib/deletions.ts',
    find: 'RETENTION_SECONDS = 48 * 3600;',
    replace: 'RETENTION_SECONDS = 3600;',
  },
  'subscribers are told of another actor': {
    file: 'lib/graphql/schema/subscriptions.ts',
    find: '({ ...change, user: item && parseUser(item) })',
    replace: "({ ...change, by: 'system', user: item && parseUser(item) })",
  },
  'a history is told from its beginning': {
    file: 'lib/change-log/own-log.ts',
    find: 'ScanIndexForward: false,\n  };',
    replace: 'ScanIndexForward: true,\n  };',
  },
  'a record before a change has the values after it': {
    file: 'lib/change-log/entry.ts',
    find: '{ ...item, ...before }',
    replace: '{ ...before, ...item }',
  },
  'a page of a history leaves one out': {
    file: 'lib/users/history.ts',
    find: 'kept.slice(0, limit)',
    replace: 'kept.slice(0, limit).filter((_, at) => at === 0 || after === undefined)',
  },
  'a post is deleted whatever its version': {
    file: 'lib/posts/delete.ts',
    find: "'version = :read'",
    replace: "'version = :read OR attribute_exists(pk)'",
  },
};

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
    file: 'lib/posts/purge.ts',
    find: 'if (hasMore) await',
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
    file: 'lib/posts/purge.ts',
    find: 'deleteItems(Items as Key[])',
    replace: 'deleteItems(Items.slice(1) as Key[])',
  },
};

export const changeLogMutants: Mutants = {
  'an entry is put whatever is there': {
    file: WRITES,
    find: "ConditionExpression: 'attribute_not_exists(pk)',\n      ReturnValues",
    replace: "ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(pk)',\n      ReturnValues",
  },
  'append whatever is the next of the order log': {
    file: APPEND,
    find: "putItemIf({ Item, ConditionExpression: 'attribute_not_exists(pk)' })",
    replace: 'putItemIf({ Item })',
  },
  'a repeated change is not looked for in the order log': {
    file: APPEND,
    find: 'if (puts.some(({ isRepeated }) => isRepeated))',
    replace: 'if (puts.length < 0)',
  },
  'an appender that lost the race does not look for its changes': {
    file: APPEND,
    find: 'await readOn(appending, number);',
    replace: 'Object.assign(end, number < 0 || (await readLogEnd()));',
  },
  'an end that may have expired is appended to': {
    file: APPEND,
    find: 'environment.now() - at < RETENTION_SECONDS * 1000',
    replace: 'at > 0',
  },
  'an empty log begins again below its old numbers': {
    file: APPEND,
    find: 'Math.max(now, read + 1, end.number + 2)',
    replace: 'end.number + 2',
  },
  'entries of one log are put in parallel': {
    file: APPEND,
    find: '({ id }) => findTopic(id).name);',
    replace: '({ id, sequence }) => findTopic(id).name + sequence);',
  },
  'the order log names a change before its entry is put': {
    file: APPEND,
    find: 'await appendRefs(await putEntries(changes, known.number, failures), known);',
    replace: `await appendRefs(changes.map((change) => ({ change, isRepeated: true, searchFrom: 0 })), known);
    await putEntries(changes, known.number, failures);`,
  },
  'a reader does not wait for what is not visible yet': {
    file: 'lib/change-log/order-log.ts',
    find: 'if (!ConsistentRead && previous > last)',
    replace: 'if (!ConsistentRead && previous < MIN_POSITION)',
  },
  'entries that are not visible yet are not read again': {
    file: 'lib/change-log/read.ts',
    find: '    true,\n  );',
    replace: '    false,\n  );',
  },
  'a change after one that failed': {
    file: APPEND,
    find: 'failures.set(change, error);\n        return;',
    replace: 'failures.set(change, error);',
  },
  'a failed record is given up': {
    file: 'lib/on-change/failed-records.ts',
    find: 'for (const record of records) this.#failed.add(record);',
    replace: '',
  },
  'delivery goes on after the last that failed': {
    file: 'lib/on-change/failed-records.ts',
    find: 'records.findIndex((record)',
    replace: 'records.findLastIndex((record)',
  },
  'a change log is kept for an hour': {
    file: 'lib/change-log/change.ts',
    find: '+ retentionSeconds + MARGIN_SECONDS',
    replace: '+ MARGIN_SECONDS',
  },
  'events have the wrong name and address': {
    file: SUBSCRIPTIONS,
    find: 'user: item && parseUser(item) }',
    replace: "user: item && { ...parseUser(item), name: 'Nobody', email: 'nobody@example.org' } }",
  },
  'events have the wrong time': {
    file: SUBSCRIPTIONS,
    find: '({ ...change, post: item && parsePost(item) })',
    replace: '({ ...change, at: new Date(0).toISOString(), post: item && parsePost(item) })',
  },
  'from now on begins with the last change': {
    file: SUBSCRIPTIONS,
    find: 'parseUser(item).version > version',
    replace: 'parseUser(item).version >= version',
  },
  'from now on ends with the deletion left out': {
    file: SUBSCRIPTIONS,
    find: 'item === null || parseUser',
    replace: 'item !== null && parseUser',
  },
  'a cursor skips the rest of its entry': {
    file: 'lib/change-log/read.ts',
    find: '{ watermark: last, offset: index + 1 }',
    replace: '{ watermark: position, offset: 0 }',
  },
  'a cursor repeats its change': {
    file: 'lib/change-log/read.ts',
    find: '{ watermark: last, offset: index + 1 }',
    replace: '{ watermark: last, offset: index }',
  },
  'a stream is opened after the log was read': {
    file: 'lib/change-log/subscribe.ts',
    find: '  const stream = await live.reader.open(topic, stop);\n  if (start) return follow(stream, start, stop, () => true, readChanges(topic, start, { ConsistentRead: true }));',
    replace: `  if (start) {
    const read: ReadChange[] = [];
    for await (const each of readChanges(topic, start, { ConsistentRead: true })) read.push(each);
    const late = await live.reader.open(topic, stop);
    return follow(late, start, stop, () => true, (async function* () { yield* read; })());
  }
  const stream = await live.reader.open(topic, stop);`,
  },
  'changes that wait for a client are dropped': {
    file: 'lib/change-log/live-reader.ts',
    find: 'else this.#isSlow = true;',
    replace: '',
  },
  'what was read is delivered again': {
    file: 'lib/change-log/subscribe.ts',
    find: 'if (isUpTo(read.position, cursor)) continue;',
    replace: '',
  },
  'a deletion is told as an update': {
    file: 'lib/on-change/stream-record.ts',
    find: "REMOVE: 'DELETED'",
    replace: "REMOVE: 'UPDATED'",
  },
};
