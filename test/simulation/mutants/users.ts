import type { Mutants } from './mutants.ts';

const VERSION = 'lib/users/user.ts';
const JOB = 'lib/features/erasure/job.ts';

export const userMutants: Mutants = {
  'create without the claim': {
    file: 'lib/users/derived.ts',
    find: 'const added = [...wanted.keys()].filter((text) => !recorded.includes(text)',
    replace:
      "const added = [...wanted.keys()].filter((text) => (recorded.length > 0 || text.includes('\\t')) && !recorded.includes(text)",
  },
  'claim of a taken address': {
    file: 'lib/users/write.ts',
    find: ": { ConditionExpression: 'attribute_not_exists(pk)' }),",
    replace: ': {}),',
  },
  'change of address keeps the old claim': {
    file: 'lib/users/derived.ts',
    find: 'const deleted = recorded.filter((text) => !wanted.has(text)',
    replace: "const deleted = recorded.filter((text) => (!after || text.includes('\\t')) && !wanted.has(text)",
  },
  'change of address without the new claim': {
    file: 'lib/users/derived.ts',
    find: 'const added = [...wanted.keys()].filter((text) => !recorded.includes(text)',
    replace:
      "const added = [...wanted.keys()].filter((text) => (recorded.length === 0 || text.includes('\\t')) && !recorded.includes(text)",
  },
  'delete keeps the claim': {
    file: 'lib/users/derived.ts',
    find: 'const deleted = recorded.filter((text) => !wanted.has(text)',
    replace: "const deleted = recorded.filter((text) => (after || text.includes('\\t')) && !wanted.has(text)",
  },
  'write whatever the version': {
    file: 'lib/users/write.ts',
    find: 'version = :read AND ',
    replace: 'attribute_exists(pk) OR version = :read AND ',
  },
  'If-Match is ignored': {
    file: 'lib/users/read.ts',
    find: 'if (ifVersion && ',
    replace: 'if (false && ifVersion && ',
  },
  'eventually consistent read of a user': {
    file: 'lib/users/read.ts',
    find: 'Key: userKey(id), ConsistentRead: true',
    replace: 'Key: userKey(id), ConsistentRead: false',
  },
  'a write that another of the same user comes before is given up': {
    file: 'lib/users/write.ts',
    find: "ofJob.find(({ part }) => part.kind === 'user' && part.change.before);",
    replace: 'ofJob.find(() => false);',
  },
  'version counted twice': { file: VERSION, find: 'version: user.version + 1', replace: 'version: user.version + 2' },
  'updatedAt never changes': {
    file: VERSION,
    find: '    updatedAt: timestamp(),\n    version',
    replace: '    version',
  },
  'createdAt changes with every update': {
    file: 'lib/users/write.ts',
    find: '{ name, email, updatedAt, version, by }),',
    replace: '{ name, email, updatedAt, createdAt: updatedAt, version, by }),',
  },
  'an address is stored in lower case': {
    file: VERSION,
    find: 'return { id, name, email, ',
    replace: 'return { id, name, email: email.toLowerCase(), ',
  },
  'an update forgets the name': {
    file: 'lib/users/write.ts',
    find: '{ name, email, updatedAt, version, by }),',
    replace: '{ email, updatedAt, version, by }),',
  },
  'a list ends after its first page': {
    file: 'lib/users/list.ts',
    find: '...(more && last ? { next: last.id } : {})',
    replace: '...(more && last && order === undefined ? { next: last.id } : {})',
  },
  'a next page skips a user': {
    file: 'lib/users/directory.ts',
    find: 'return { users: items.slice(offset, wanted).map(parseUser), more: items.length > wanted };',
    replace:
      'return { users: items.slice(startAfter && !offset ? 1 : offset, wanted).map(parseUser), more: items.length > wanted };',
  },
  'the next page of a list newest first is oldest first': {
    file: 'lib/users/directory.ts',
    find: "ScanIndexForward: order === 'asc', Limit: wanted + 1",
    replace: "ScanIndexForward: order === 'asc' || startAfter !== undefined, Limit: wanted + 1",
  },
  'a list ends where a query of the directory does': {
    file: 'lib/users/directory.ts',
    find: '    ExclusiveStartKey = page.LastEvaluatedKey;',
    replace: '    ExclusiveStartKey = undefined;',
  },
};

export const ownFieldMutants: Mutants = {
  'PUT keeps own fields': { file: VERSION, find: '{ ...clearAllFields(), ', replace: '{ ' },
  'an update forgets values that are not declared': {
    file: 'lib/users/fields/values.ts',
    find: '{ ...values, ...Object.fromEntries(encoded) }',
    replace:
      '{ ...Object.fromEntries(ownFields.flatMap(({ name }) => (values?.[name] === undefined ? [] : [[name, values[name]]]))), ...Object.fromEntries(encoded) }',
  },
  'a unique value has one claim for each spelling': {
    file: 'lib/users/derived.ts',
    find: "const canonical = field.unique === 'exact' ? text : canonicalText(text);",
    replace: 'const canonical = text;',
  },
  'unique fields share their claims': {
    file: 'lib/users/derived.ts',
    find: 'uniqueKey(nameClaims(field), canonical)',
    replace: "uniqueKey('any', canonical)",
  },
  'a stale claim is replaced although it was made again': {
    file: 'lib/users/write.ts',
    find: 'userId = :userId AND (attribute_not_exists(version) OR version = :version)',
    replace: 'userId = :userId AND (attribute_not_exists(version) OR version = :version OR attribute_exists(pk))',
  },
  'a value that the user got meanwhile is taken': {
    file: 'lib/users/write.ts',
    find: 'holder.user.id === after.id || ',
    replace: '',
  },
  'a stale claim keeps its value taken': {
    file: 'lib/users/write.ts',
    find: 'if (!holder || holder.user.id === after.id || !ownsClaim(holder, key)) {',
    replace: 'if (!holder) {',
  },
  'the claim of another user is released': {
    file: 'lib/users/write.ts',
    find: "'attribute_not_exists(userId) OR userId = :userId'",
    replace: "'attribute_not_exists(userId) OR attribute_exists(userId) OR userId = :userId'",
  },
  'a lookup trusts the claim': {
    file: 'lib/users/unique-values.ts',
    find: 'return user && listClaims(user).some(',
    replace: 'return user && [{ key }].some(',
  },
  'a search finds no own field': {
    file: 'lib/features/search/entries.ts',
    find: '...ofFields.flatMap(({ words }) => words), ',
    replace: '',
  },
};

export const contentionMutants: Mutants = {
  'a precondition is not checked of what a failed condition shows': {
    file: 'lib/users/write.ts',
    find: '  checkConditions(current.user, conditions);\n  return current;',
    replace: '  return current;',
  },
};

export const erasureMutants: Mutants = {
  'an erasure leaves what the log tells': {
    file: JOB,
    find: '[userTopic(id, epoch), postsTopic(id, epoch)]',
    replace: '[postsTopic(id, epoch)]',
  },
  'an erasure leaves what the log of posts tells': {
    file: JOB,
    find: '[userTopic(id, epoch), postsTopic(id, epoch)]',
    replace: '[userTopic(id, epoch)]',
  },
  'an erasure leaves what the log of a former table tells': {
    file: 'lib/features/erasure/job.ts',
    find: 'for (const epoch of await readEpochs())',
    replace: 'for (const epoch of (await readEpochs()).slice(-1))',
  },
  'the history ends where the table was restored': {
    file: 'lib/features/history/history.ts',
    find: 'yield* (await knownEpochs.readFormer()).toReversed();',
    replace: 'await knownEpochs.readFormer();',
  },
  'the history tells of a person who is being erased': {
    file: 'lib/features/history/history.ts',
    find: 'return erasure !== undefined && erasure.completedAt === null;',
    replace: 'return false;',
  },
  'an erasure that is completed stays in the queue': {
    file: JOB,
    find: 'pending: { Delete: { TableName, Key: pendingErasureKey(id) } },',
    replace: '',
  },
  'an erasure is requested after the user was deleted': {
    file: 'lib/users/companions.ts',
    find: '  erasure,\n',
    replace: '',
  },
  'what is remembered of an erased person never expires': {
    file: JOB,
    find: "'SET erasure = :completed, expiresAt = :expiresAt'",
    replace: "'SET erasure = :completed, forgottenAt = :expiresAt'",
  },
};

/** Mutants of the return of deleted users. */
export const returnMutants: Mutants = {
  'a user who comes back begins with the first version': {
    file: 'lib/users/deletion-record.ts',
    find: 'if (user.version > deletedVersion) return user;',
    replace: 'if (user.version > 0) return user;',
  },
  'a user who comes back has the version of the deletion': {
    file: 'lib/users/deletion-record.ts',
    find: 'version: deletedVersion + 1,',
    replace: 'version: deletedVersion,',
  },
  'a user comes back with the time of the version before': {
    file: 'lib/users/deletion-record.ts',
    find: 'version: deletedVersion + 1, updatedAt: timestamp() }',
    replace: 'version: deletedVersion + 1 }',
  },
  'a user comes back whatever the last deletion was': {
    file: 'lib/users/write.ts',
    find: 'if (write.hasFormerId)\n    jobParts.push(',
    replace: 'if (false && write.hasFormerId)\n    jobParts.push(',
  },
  'an import brings erased people back': {
    file: 'lib/users/return.ts',
    find: 'deletion?.erasure && !isDespiteErasure',
    replace: 'deletion?.erasure && isDespiteErasure',
  },
  'a restore brings erased people back': {
    file: 'lib/features/history/restore.ts',
    find: 'if (deletion?.erasure) throw userErased();',
    replace: '',
  },
  'a user is erased without a trace in the deletion record': {
    file: 'lib/features/erasure/request.ts',
    find: "'SET erasure = :pending'",
    replace: "'SET formerErasure = :pending'",
  },
  'a restore takes what a late log has': {
    file: 'lib/features/history/restore.ts',
    find: 'deletion ? last?.deletedVersion === deletion.version :',
    replace: 'deletion ? last?.deletedVersion !== undefined :',
  },
  'a restore gives up while the log is late': {
    file: 'lib/features/history/restore.ts',
    find: 'if (deletion && isLate(deletion)) return AGAIN;',
    replace: '',
  },
  'posts are deleted although their author has come back': {
    file: 'lib/posts/purge.ts',
    find: "ConditionExpression: 'attribute_not_exists(pk)' } },",
    replace: "ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(pk)' } },",
  },
  'a purge that ends because its author has come back leaves its record': {
    file: 'lib/posts/purge.ts',
    find: 'else if (part > 0) await endPurge',
    replace: 'else if (part > 99) await endPurge',
  },
  'a return forgets who deleted the user': {
    file: 'lib/users/companions.ts',
    find: '  formerDeletion,\n  withdrawnErasure,',
    replace: '  withdrawnErasure,',
  },
};
