import type { Mutants } from './patches.ts';

const REACTION = 'lib/features/backfill/reaction.ts';
const DELETIONS = 'lib/features/change-log/deletions.ts';
const TABLE_TARGET = 'infra/scripts/transfer/table-target.ts';

/** Bugs in the reaction to a user's deletion by hand. */
export const deletionByHandMutants: Mutants = {
  'a deletion by hand leaves derived items': {
    file: REACTION,
    find: '  await deleteRecordedItems(before);\n  await record',
    replace: '  await record',
  },
  'a deletion by hand leaves no deletion record': {
    file: REACTION,
    find: '  await recordDeletionByHand(record);\n',
    replace: '',
  },
  'a deletion by hand forgets a pending erasure': {
    file: DELETIONS,
    find: "erasure === 'pending' || ",
    replace: '',
  },
  'a deletion by hand counts as a change by the service': {
    file: 'lib/features/change-log/reaction.ts',
    find: "record.entity?.type === 'post' ? SYSTEM : null",
    replace: 'SYSTEM',
  },
  'page counts are never repaired': {
    file: 'lib/features/page-index/verify.ts',
    find: 'const missing = users - countLive(block, adjustments);',
    replace: 'const missing = 0 * users;',
  },
};

/** Bugs in imports that keep ids, times and versions. */
export const importMutants: Mutants = {
  'an import drops kept times and versions': {
    file: TABLE_TARGET,
    find: 'keepTimes ? kept : {}',
    replace: 'keepTimes && Date.now() < 0 ? kept : {}',
  },
  'a history omits imported users with old times': {
    file: 'lib/features/change-log/entry.ts',
    find: 'streamedAt === 0 ?',
    replace: 'streamedAt > -1 ?',
  },
};

/** Bugs after a deploy that only reorders own fields. */
export const reorderingMutants: Mutants = {
  'the order of own fields changes the body hash': {
    file: 'lib/idempotency.ts',
    find: 'hash(key, formatCanonicalJson(members))',
    replace: 'hash(key, JSON.stringify(members))',
  },
  'the order of own fields starts a backfill': {
    file: 'lib/features/backfill/record.ts',
    find: 'uniqueFields.map(nameClaims).toSorted()',
    replace: 'uniqueFields.map(nameClaims)',
  },
};
