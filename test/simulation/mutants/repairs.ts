import type { Mutants } from './patches.ts';

export const repairMutants: Mutants = {
  'check-table finds no missing items': {
    file: 'infra/scripts/table-consistency.ts',
    find: 'return item && (!isClaimKey(key) || isUnreadableClaim(item) || item.userId === user.id);',
    replace: 'return true;',
  },
  'check-table keeps items that no user records': {
    file: 'infra/scripts/table-consistency.ts',
    find: 'if (left.length > 0) unrecorded.set(id, left);',
    replace: '',
  },
  'of two users with one value, the younger gets the claim': {
    file: 'lib/features/backfill/rewrite.ts',
    find: 'if (ownerId < userId) {',
    replace: 'if (ownerId) {',
  },
  'the backfill writes no claims': {
    file: 'lib/users/derived.ts',
    find: 'return puts.length === 0 && deletes.length === 0;',
    replace: 'return puts.length < 99;',
  },
  'the backfill writes no filter entries': {
    file: 'lib/users/derived.ts',
    find: 'return puts.length === 0 && deletes.length === 0;',
    replace: 'return puts.every(({ key }) => isListKey(key)) && deletes.every(isListKey);',
  },
  'claims of removed fields are kept': {
    file: 'lib/users/derived.ts',
    find: '.filter((field) => !formerFields.includes(nameClaims(field)))',
    replace: '',
  },
};
