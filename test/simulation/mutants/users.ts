import type { Mutants } from './patches.ts';

const VERSION = 'lib/users/user.ts';
const JOB = 'lib/features/erasure/job.ts';

export const userMutants: Mutants = {
  'creating a user writes no email claim': {
    file: 'lib/users/derived.ts',
    find: 'const added = [...wanted].filter(([text]) => ',
    replace: "const added = [...wanted].filter(([text]) => (recorded.length > 0 || text.includes('\\t')) && ",
  },
  'a change of address keeps the old claim': {
    file: 'lib/users/derived.ts',
    find: 'const deleted = considered.filter((text) => ',
    replace: "const deleted = considered.filter((text) => (!after || text.includes('\\t')) && ",
  },
  'a write does not check the version': {
    file: 'lib/users/write.ts',
    find: "'version = :read',",
    replace: "'attribute_exists(pk) OR version = :read',",
  },
  'If-Match is ignored': {
    file: 'lib/users/read.ts',
    find: 'if (ifVersion && ',
    replace: 'if (false && ifVersion && ',
  },
  'an upsert keeps the fields that it omits': {
    file: 'lib/users/upsert.ts',
    find: 'keepsOmitted ? changes : toChanges(changes)',
    replace: 'changes',
  },
  'a user is read eventually consistently': {
    file: 'lib/users/read.ts',
    find: 'Key: userKey(id), ConsistentRead: true',
    replace: 'Key: userKey(id), ConsistentRead: false',
  },
  'an update raises the version by 2': {
    file: VERSION,
    find: 'version: user.version + 1',
    replace: 'version: user.version + 2',
  },
  'an update with equal values makes a new version': {
    file: VERSION,
    find: 'if (hasSameValues(changed, user))',
    replace: 'if (changed === user)',
  },
  'updatedAt never changes': {
    file: VERSION,
    find: '    updatedAt: timestamp(),\n    version: user',
    replace: '    version: user',
  },
  'an update drops the name': {
    file: 'lib/users/write.ts',
    find: '{ name, email, updatedAt, version, by }),',
    replace: '{ email, updatedAt, version, by }),',
  },
  'a list ends after its first page': {
    file: 'lib/users/list.ts',
    find: '...(more && last ? { next: last } : {})',
    replace: '...(more && last && users.length === 0 ? { next: last } : {})',
  },
  'the next page of a list skips a user': {
    file: 'lib/users/directory.ts',
    find: 'toSegment(items.slice(offset, wanted), items.length > wanted)',
    replace: 'toSegment(items.slice(startAfter && !offset ? 1 : offset, wanted), items.length > wanted)',
  },
  'the next page of a newest-first list is oldest first': {
    file: 'lib/users/directory.ts',
    find: "ScanIndexForward: order === 'asc' }",
    replace: "ScanIndexForward: order === 'asc' || startAfter !== undefined }",
  },
};

export const ownFieldMutants: Mutants = {
  'an update drops undeclared values': {
    file: 'lib/users/fields/values.ts',
    find: '{ ...values, ...Object.fromEntries(encoded) }',
    replace:
      '{ ...Object.fromEntries(ownFields.flatMap(({ name }) => (values?.[name] === undefined ? [] : [[name, values[name]]]))), ...Object.fromEntries(encoded) }',
  },
  'unique fields share their claims': {
    file: 'lib/users/derived.ts',
    find: 'uniqueKey(nameClaims(field), canonical)',
    replace: "uniqueKey('any', canonical)",
  },
  'a stale claim blocks its value': {
    file: 'lib/users/write.ts',
    find: 'if (!holder || holder.user.id === after.id || !ownsClaim(holder, key)) {',
    replace: 'if (!holder) {',
  },
  "an update deletes another user's claim": {
    file: 'lib/users/write.ts',
    find: "'attribute_not_exists(userId) OR userId = :userId'",
    replace: "'attribute_not_exists(userId) OR attribute_exists(userId) OR userId = :userId'",
  },
};

export const erasureMutants: Mutants = {
  'an erasure keeps entries of the change log': {
    file: JOB,
    find: '[userTopic(id, epoch), postsTopic(id, epoch)]',
    replace: '[postsTopic(id, epoch)]',
  },
  'a completed erasure stays in the queue': {
    file: JOB,
    find: 'pending: { Delete',
    replace: 'pending: undefined && { Delete',
  },
};

export const returnMutants: Mutants = {
  'a returning user begins with version 1': {
    file: 'lib/users/deletion-record.ts',
    find: 'if (user.version > deletedVersion) return user;',
    replace: 'if (user.version > 0) return user;',
  },
  "a returning user has the deleted version's time": {
    file: 'lib/users/deletion-record.ts',
    find: 'version: deletedVersion + 1, updatedAt: timestamp() }',
    replace: 'version: deletedVersion + 1 }',
  },
  'an import creates erased people again': {
    file: 'lib/users/return.ts',
    find: 'deletion?.erasure && !despiteErasure',
    replace: 'deletion?.erasure && despiteErasure',
  },
  'posts are purged although their author has returned': {
    file: 'lib/features/merge/posts.ts',
    find: "'attribute_exists(pk)' : 'attribute_not_exists(pk)'",
    replace: "'attribute_exists(pk)' : 'attribute_not_exists(pk) OR attribute_exists(pk)'",
  },
};
