import type { Mutants } from './mutants.ts';

const ITEMS = 'lib/users/transaction-items.ts';
const [CREATE, UPDATE, DELETE] = ['lib/users/create.ts', 'lib/users/update.ts', 'lib/users/delete.ts'];

/** Users and the claims of their addresses. */
export const userMutants: Mutants = {
  'create without the claim': {
    file: CREATE,
    find: 'email: claimEmail(user.email, user.id),',
    replace: 'email: undefined,',
  },
  'claim of a taken address': {
    file: ITEMS,
    find: "userId },\n    ConditionExpression: 'attribute_not_exists(pk)',",
    replace: 'userId },',
  },
  'change of address keeps the old claim': {
    file: UPDATE,
    find: 'oldEmail: releaseEmail(user.email),',
    replace: 'oldEmail: undefined,',
  },
  'change of address without the new claim': {
    file: UPDATE,
    find: 'newEmail: claimEmail(next.email, user.id),',
    replace: 'newEmail: undefined,',
  },
  'delete keeps the claim': { file: DELETE, find: 'email: releaseEmail(user.email),', replace: 'email: undefined,' },
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
  'conflict of versions as a taken address': {
    file: UPDATE,
    find: 'if (failures?.user) return AGAIN;',
    replace: '',
  },
  'version counted twice': { file: UPDATE, find: 'version: user.version + 1', replace: 'version: user.version + 2' },
  'updatedAt never changes': {
    file: UPDATE,
    find: 'name, email, updatedAt: timestamp(), version',
    replace: 'name, email, version',
  },
  'createdAt changes with every update': {
    file: ITEMS,
    find: 'email = :email, updatedAt = :updatedAt,',
    replace: 'email = :email, updatedAt = :updatedAt, createdAt = :updatedAt,',
  },
  'an address is stored in lower case': {
    file: CREATE,
    find: '  id,\n  name,\n  email,\n  createdAt,',
    replace: '  id,\n  name,\n  email: email.toLowerCase(),\n  createdAt,',
  },
  'an update forgets the name': {
    file: ITEMS,
    find: "'SET #name = :name, email",
    replace: "'SET email",
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
