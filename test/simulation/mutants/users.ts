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
  'If-Match is ignored': { file: 'lib/users/get.ts', find: 'if (versions && ', replace: 'if (false && versions && ' },
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
};
