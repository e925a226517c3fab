import type { Mutants } from './mutants.ts';

const ITEMS = 'lib/users/transaction-items.ts';
const [CREATE, UPDATE, CLAIMS] = ['lib/users/create.ts', 'lib/users/update.ts', 'lib/users/claims.ts'];
const ENTRIES = 'lib/users/search/entries.ts';
const [APPEND, BLOCKS] = ['lib/users/page-index/append.ts', 'lib/users/page-index/blocks.ts'];
const [FOLD, READER] = ['lib/users/page-index/fold.ts', 'lib/users/page-index/reader.ts'];

export const userMutants: Mutants = {
  'create without the claim': { file: CREATE, find: '...claims.createItems(undefined, user), ', replace: '' },
  'claim of a taken address': {
    file: CLAIMS,
    find: ": { ConditionExpression: 'attribute_not_exists(pk)' }),",
    replace: ': {}),',
  },
  'change of address keeps the old claim': {
    file: CLAIMS,
    find: '...released.map(',
    replace: '...(next ? [] : released).map(',
  },
  'change of address without the new claim': {
    file: CLAIMS,
    find: '...claimed.map(',
    replace: '...(user ? [] : claimed).map(',
  },
  'delete keeps the claim': { file: CLAIMS, find: '...released.map(', replace: '...(next ? released : []).map(' },
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
  'conflict of versions as a taken address': { file: UPDATE, find: 'if (failures.user) return AGAIN;', replace: '' },
  'version counted twice': { file: UPDATE, find: 'version: user.version + 1', replace: 'version: user.version + 2' },
  'updatedAt never changes': { file: UPDATE, find: 'updatedAt: timestamp(), version', replace: 'version' },
  'createdAt changes with every update': {
    file: ITEMS,
    find: 'email = :email, updatedAt = :updatedAt,',
    replace: 'email = :email, updatedAt = :updatedAt, createdAt = :updatedAt,',
  },
  'an address is stored in lower case': {
    file: CREATE,
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
    find: '...released.map(',
    replace: '...released.filter((one) => !next || claimed.some(({ field }) => field === one.field)).map(',
  },
  'PUT keeps the old claims of own fields': {
    file: UPDATE,
    find: 'writeIfUnchanged(user, {',
    replace:
      "writeIfUnchanged('name' in input && 'email' in input ? { ...user, fields: changeValues(user.fields, changes) ?? {} } : user, {",
  },
  'PUT keeps own fields': { file: UPDATE, find: '{ ...clearedFields, ', replace: '{ ' },
  'an update forgets values that are not declared': {
    file: 'lib/users/own-fields/inputs.ts',
    find: '{ ...values, ...changes }',
    replace:
      '{ ...Object.fromEntries(ownFields.flatMap(({ name }) => (values?.[name] === undefined ? [] : [[name, values[name]]]))), ...changes }',
  },
  'a unique value has one claim for each spelling': {
    file: 'lib/users/list-claims.ts',
    find: 'const canonical = canonicalText(text);',
    replace: 'const canonical = text;',
  },
  'unique fields share their claims': {
    file: 'lib/users/list-claims.ts',
    find: 'uniqueKey(name, canonical)',
    replace: "uniqueKey('any', canonical)",
  },
  'a stale claim is replaced although it was made again': {
    file: CLAIMS,
    find: 'OR (userId = :userId AND (attribute_not_exists(version) OR version = :version))',
    replace: 'OR attribute_exists(pk) OR userId = :userId OR version = :version',
  },
  'a value that the user got meanwhile is taken': {
    file: CLAIMS,
    find: 'owner && owner.id !== user?.id && hasClaim',
    replace: 'owner && hasClaim',
  },
  'a stale claim keeps its value taken': {
    file: CLAIMS,
    find: 'if (isTaken) throw',
    replace: 'if (stored) throw',
  },
  'the claim of another user is released': {
    file: CLAIMS,
    find: "'attribute_not_exists(pk) OR userId = :userId',",
    replace: "'attribute_not_exists(pk) OR userId = :userId OR attribute_exists(pk)',",
  },
  'the claim of another user stops a release': {
    file: CLAIMS,
    find: 'for (const { key } of foreign) this.#foreign.add(key.pk);',
    replace: '',
  },
  'a lookup trusts the claim': {
    file: CLAIMS,
    find: 'return user && hasClaim(user, claim.key) ? user : undefined;',
    replace: 'return user || undefined;',
  },
  'of two users with one value the younger has the claim': {
    file: 'lib/users/missing-claims.ts',
    find: 'if (newer && newer.id < user.id)',
    replace: 'if (newer)',
  },
  'maintenance makes no claims': {
    file: 'lib/users/missing-claims.ts',
    find: 'missing.toSorted((one',
    replace: 'missing.slice(0, 0).toSorted((one',
  },
  'a search entry of an own field stays': {
    file: ENTRIES,
    find: '.filter((entry) => !isKept(entry))',
    replace:
      '.filter((entry) => !isKept(entry) && listKeys({ ...oldUser, fields: undefined }).some(({ sk }) => sk === entry.sk))',
  },
  'a search finds no own field': {
    file: 'lib/users/search/places.ts',
    find: 'return [...texts, ...words.slice(0, MAX_FIELD_WORDS)];',
    replace: 'return texts.concat(words.slice(0, 0));',
  },
};

export const searchMutants: Mutants = {
  'search entry written whatever its version': {
    file: ENTRIES,
    find: "'attribute_not_exists(pk) OR version < :version'",
    replace: "'attribute_not_exists(pk) OR version <> :version OR attribute_exists(pk)'",
  },
  'search entries of an old name stay': {
    file: ENTRIES,
    find: '.filter((entry) => !isKept(entry))',
    replace: '.filter(() => false)',
  },
  'search entry only where there is none': {
    file: ENTRIES,
    find: 'attribute_not_exists(pk) OR version < :version',
    replace: 'attribute_not_exists(pk) OR version < :version AND attribute_not_exists(version)',
  },
  'search markers live a second': {
    file: ENTRIES,
    find: 'MARKER_RETENTION_SECONDS = 48 * 3600;',
    replace: 'MARKER_RETENTION_SECONDS = 1;',
  },
  'search entries keep their first version': {
    file: ENTRIES,
    find: 'version,\n    ...times,',
    replace: 'version: 1,\n    ...times,',
  },
  'a search finds no address': {
    file: 'lib/users/search/places.ts',
    find: ', normalizeText(email)]',
    replace: ']',
  },
  'a search finds the first word only': {
    file: 'lib/users/search/places.ts',
    find: '.slice(0, MAX_WORDS)',
    replace: '.slice(0, 1)',
  },
  'a search does without accents': {
    file: 'lib/users/search/text.ts',
    find: ".replace(/\\p{M}/gu, '')",
    replace: '',
  },
  'a search ends after its first page': {
    file: 'lib/users/search/search.ts',
    find: '...(next ? { next } : {}),',
    replace: '...(next && matches.length < 0 ? { next } : {}),',
  },
  'a next page of a search skips a match': {
    file: 'lib/users/search/search.ts',
    find: 'const next = matches.length > limit ? shown.at(-1)?.cursor :',
    replace: 'const next = matches.length > limit ? matches[limit]?.cursor :',
  },
};

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
    file: 'lib/users/page-index/timing.ts',
    find: 'TOMBSTONE_RETENTION_MS = 7 * 24 * 3_600_000',
    replace: 'TOMBSTONE_RETENTION_MS = 60_000',
  },
  'pages skip whom the directory still shows': {
    file: 'lib/users/directory.ts',
    find: 'left -= Count - Items.filter(({ pk }) => deleted.has(parseUserId(pk))).length;',
    replace: 'left -= Count;',
  },
};
