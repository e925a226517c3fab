import type { Mutants } from './mutants.ts';

const ITEMS = 'lib/users/transaction-items.ts';
const VERSION = 'lib/users/new-version.ts';
const [CREATE, UPDATE, CLAIMS] = ['lib/users/create.ts', 'lib/users/update.ts', 'lib/users/claims.ts'];
const ENTRIES = 'lib/features/search/entries.ts';
const JOB = 'lib/features/erasure/job.ts';

export const userMutants: Mutants = {
  'create without the claim': { file: CREATE, find: ', ...companions]', replace: ']' },
  'claim of a taken address': {
    file: CLAIMS,
    find: ": { ConditionExpression: 'attribute_not_exists(pk)' }),",
    replace: ': {}),',
  },
  'change of address keeps the old claim': {
    file: CLAIMS,
    find: '...subtract(old, next).map(',
    replace: '...(after ? [] : subtract(old, next)).map(',
  },
  'change of address without the new claim': {
    file: CLAIMS,
    find: '...subtract(next, old).map(',
    replace: '...(before ? [] : subtract(next, old)).map(',
  },
  'delete keeps the claim': {
    file: CLAIMS,
    find: '...subtract(old, next).map(',
    replace: '...(after ? subtract(old, next) : []).map(',
  },
  'write whatever the version': {
    file: ITEMS,
    find: "ConditionExpression: 'version = :read',",
    replace: "ConditionExpression: 'version = :read OR attribute_exists(pk)',",
  },
  'If-Match is ignored': { file: 'lib/users/get.ts', find: 'if (ifVersion && ', replace: 'if (false && ifVersion && ' },
  'eventually consistent read of a user': {
    file: 'lib/users/get.ts',
    find: 'ConsistentRead: true',
    replace: 'ConsistentRead: false',
  },
  'a write that another of the same user comes before is given up': {
    file: 'lib/users/write.ts',
    find: 'if (ofUser && change.before) return AGAIN;',
    replace: '',
  },
  'version counted twice': { file: VERSION, find: 'version: user.version + 1', replace: 'version: user.version + 2' },
  'updatedAt never changes': { file: VERSION, find: 'updatedAt: timestamp(), version', replace: 'version' },
  'createdAt changes with every update': {
    file: ITEMS,
    find: 'email = :email, updatedAt = :updatedAt,',
    replace: 'email = :email, updatedAt = :updatedAt, createdAt = :updatedAt,',
  },
  'an address is stored in lower case': {
    file: VERSION,
    find: 'return { id, name, email, ',
    replace: 'return { id, name, email: email.toLowerCase(), ',
  },
  'an update forgets the name': {
    file: ITEMS,
    find: '`SET #name = :name, email',
    replace: '`SET email',
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
    find: "ScanIndexForward: order === 'asc',",
    replace: "ScanIndexForward: order === 'asc' || startAfter !== undefined,",
  },
  'a list ends where a query of the directory does': {
    file: 'lib/users/directory.ts',
    find: '    ExclusiveStartKey = page.LastEvaluatedKey;',
    replace: '    ExclusiveStartKey = undefined;',
  },
};

/** They are about own fields and their claims. */
export const ownFieldMutants: Mutants = {
  'a value that is cleared keeps its claim': {
    file: CLAIMS,
    find: '...subtract(old, next).map(',
    replace: '...subtract(old, next).filter((one) => !after || next.some(({ field }) => field === one.field)).map(',
  },
  'PUT keeps the old claims of own fields': {
    file: UPDATE,
    find: 'return () => ({ before, after, by });',
    replace:
      "return () => ({ before: 'name' in input && 'email' in input ? { ...before, own: after.own } : before, after, by });",
  },
  'PUT keeps own fields': { file: VERSION, find: '{ ...clearedFields, ', replace: '{ ' },
  'an update forgets values that are not declared': {
    file: 'lib/features/own-fields/inputs.ts',
    find: '{ ...values, ...changes }',
    replace:
      '{ ...Object.fromEntries(ownFields.flatMap(({ name }) => (values?.[name] === undefined ? [] : [[name, values[name]]]))), ...changes }',
  },
  'a unique value has one claim for each spelling': {
    file: 'lib/features/own-fields/claims.ts',
    find: 'const canonical = canonicalText(text);',
    replace: 'const canonical = text;',
  },
  'unique fields share their claims': {
    file: 'lib/features/own-fields/claims.ts',
    find: 'uniqueKey(name, canonical)',
    replace: "uniqueKey('any', canonical)",
  },
  'a stale claim is replaced although it was made again': {
    file: CLAIMS,
    find: 'userId = :userId AND (attribute_not_exists(version) OR version = :version)',
    replace: 'attribute_exists(pk) OR userId = :userId OR version = :version',
  },
  'a value that the user got meanwhile is taken': {
    file: CLAIMS,
    find: 'owner && owner.id !== userId && hasClaim',
    replace: 'owner && hasClaim',
  },
  'a stale claim keeps its value taken': {
    file: CLAIMS,
    find: 'if (owner && owner.id !== userId && hasClaim(owner, claim.key)) throw',
    replace: 'if (stored) throw',
  },
  'the claim of another user is released': {
    file: CLAIMS,
    find: "'attribute_not_exists(pk) OR userId = :userId',",
    replace: "'attribute_not_exists(pk) OR userId = :userId OR attribute_exists(pk)',",
  },
  'the claim of another user stops a release': {
    file: CLAIMS,
    find: 'return WITHOUT;',
    replace: 'return Promise.resolve(AGAIN);',
  },
  'a lookup trusts the claim': {
    file: CLAIMS,
    find: 'return user && hasClaim(user, claim.key) ? user : undefined;',
    replace: 'return user || undefined;',
  },
  'a search entry of an own field stays': {
    file: ENTRIES,
    find: '.filter((entry) => !isKept(entry))',
    replace:
      '.filter((entry) => !isKept(entry) && listKeys({ ...oldUser, fields: undefined }).some(({ sk }) => sk === entry.sk))',
  },
  'a search finds no own field': {
    file: 'lib/features/search/places.ts',
    find: 'return [...texts, ...words.slice(0, MAX_FIELD_WORDS)];',
    replace: 'return texts.concat(words.slice(0, 0));',
  },
};

export const contentionMutants: Mutants = {
  'an attempt starts from what an earlier one has shown': {
    file: 'lib/users/write.ts',
    find: 'shown = ofUser?.failure.item;',
    replace: 'shown ??= ofUser?.failure.item;',
  },
  'a precondition is not checked of what a failed condition shows': {
    file: 'lib/users/get.ts',
    find: 'shown ? checkConditions(parseUser(shown), input) : getUser(input)',
    replace: 'shown ? parseUser(shown) : getUser(input)',
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
    file: JOB,
    find: 'const epochs = await readEpochs();',
    replace: 'const epochs = (await readEpochs()).slice(-1);',
  },
  'the history ends where the table was restored': {
    file: 'lib/features/history/history.ts',
    find: 'yield* (await knownEpochs.readFormer()).toReversed();',
    replace: 'await knownEpochs.readFormer();',
  },
  'an erasure leaves names in the search': {
    file: 'lib/features/search/traces.ts',
    find: 'deleteItems(distinctKeys(keys))',
    replace: 'Promise.resolve()',
  },
  'an erasure leaves claims of fields that are not declared': {
    file: 'lib/features/erasure/traces.ts',
    find: 'listPossibleClaims(version).map(',
    replace: "listPossibleClaims(version).filter(({ field }) => field !== 'hobby').map(",
  },
  'an erasure leaves search entries of fields that are not declared': {
    file: 'lib/features/search/traces.ts',
    find: '[...listKeys(version), ...listPossibleKeys(version)]',
    replace: 'listPossibleKeys(version, []).concat(listKeys(version))',
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
  'late records of an erased user are searched': {
    file: 'lib/features/search/stream-entries.ts',
    find: 'batch.isErased(record) ? deleteEntries(record) : updateEntries(record)',
    replace: 'updateEntries(record)',
  },
  'an erasure is requested after the user was deleted': {
    file: 'lib/features/erasure/request.ts',
    find: ', [erasureRequest]',
    replace: '',
  },
};
