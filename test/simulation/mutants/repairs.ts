import type { Mutants } from './mutants.ts';

/** Mutants of the backfill, the corrections by on-change, and check-table. */
export const repairMutants: Mutants = {
  'a post without an author stays': {
    file: 'infra/scripts/table-consistency.ts',
    find: "!sk.startsWith('POST#') || users.has(authorId)",
    replace: "sk !== 'no' || users.has(authorId)",
  },
  'check-table does not look for missing items': {
    file: 'infra/scripts/table-consistency.ts',
    find: 'return item && (!isClaimKey(key) || item.userId === user.id);',
    replace: 'return true;',
  },
  'check-table leaves items that no user records': {
    file: 'infra/scripts/table-consistency.ts',
    find: 'if (left.length > 0) unrecorded.set(id, left);',
    replace: '',
  },
  'of two users with one value the younger has the claim': {
    file: 'lib/users/write.ts',
    find: 'if (job.write.rewrite && isOlder)',
    replace: 'if (job.write.rewrite && !isOlder && false)',
  },
  'the backfill makes no claims': {
    file: 'lib/users/derived.ts',
    find: 'return puts.length === 0 && deletes.length === 0;',
    replace: 'return puts.length < 99;',
  },
  'a repair takes a user as read before it took a claim from that user': {
    file: 'infra/scripts/table-consistency.ts',
    find: 'if (report.repaired > repairedBefore)',
    replace: 'if (report.repaired < 0)',
  },
  'the backfill makes no list entries': {
    file: 'lib/users/derived.ts',
    find: 'return puts.length === 0 && deletes.length === 0;',
    replace: 'return puts.every(({ key }) => isListKey(key)) && deletes.every(isListKey);',
  },
  'claims of former fields stay': {
    file: 'lib/users/derived.ts',
    find: '.filter((field) => !formerFields.includes(nameClaims(field)))',
    replace: '',
  },
  'a release drops the claims of another one': {
    file: 'lib/users/derived.ts',
    find: 'const kept = new Set(possible.map(',
    replace: 'const kept = new Set(possible.slice(0, 0).map(',
  },
  'former fields are forgotten': {
    file: 'lib/features/backfill/record.ts',
    find: 'const once = [...(last?.formerUnique ?? []), ...(last?.unique ?? [])];',
    replace: 'const once = [];',
  },
  'writes of another release do not restart the backfill': {
    file: 'lib/features/backfill/reaction.ts',
    find: 'if (!isCurrent) await',
    replace: 'if (backfill?.revision === -1) await',
  },
};
