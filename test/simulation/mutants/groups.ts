import type { Mutants } from './patches.ts';

const JOB = 'lib/features/groups/job.ts';
const MEMBERSHIPS = 'lib/features/groups/memberships.ts';
const ENTRIES = 'lib/features/groups/membership-entries.ts';
const WRITE = 'lib/features/groups/write.ts';

export const membershipMutants: Mutants = {
  'users join groups that were deleted': {
    file: MEMBERSHIPS,
    find: 'return [...new Set(added)].filter((id) => !groups.has(id));',
    replace: 'return [...new Set(added)].filter((id) => !groups.has(id) && id === "");',
  },
  'readers see memberships of deleted groups': {
    file: MEMBERSHIPS,
    find: '  const deleted = await readDeletedGroups();\n  return users.map',
    replace: '  const deleted = new Set<string>();\n  return users.map',
  },
  'a merge drops the groups of the deleted user': {
    file: 'lib/features/merge/merge.ts',
    find: 'const joined = joinMemberships(own, others);',
    replace: 'const joined = own;',
  },
  'an undo restores memberships of deleted groups': {
    file: 'lib/features/merge/undo.ts',
    find: 'const restored = await dropMissingGroups(addBlocks(user, kept.user, merge));',
    replace: 'const restored = addBlocks(user, kept.user, merge);',
  },
  'all roles share a partition': {
    file: ENTRIES,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: source code.
    find: "role === groupRoles[0] ? '' : `&role=${role}`",
    replace: "role === undefined ? role : ''",
  },
  'a list of members has only the first role': {
    file: ENTRIES,
    find: '(role === undefined ? groupRoles : [role])',
    replace: '(role === undefined ? groupRoles.slice(0, 1) : [role])',
  },
};

export const groupMutants: Mutants = {
  'a deleted group keeps its external id': {
    file: WRITE,
    find: '      ...toItems(listCurrentKeys(stored), deleteDerived),\n      group',
    replace: '      group',
  },
  'two groups have one external id': {
    file: WRITE,
    find: "'attribute_not_exists(pk) OR groupId = :groupId'",
    replace: "'attribute_not_exists(pk) OR attribute_exists(pk) OR groupId = :groupId'",
  },
  'a change of a group does not check its version': {
    file: WRITE,
    find: "'version = :read AND attribute_not_exists(deletedAt)'",
    replace: "'version = :read OR attribute_exists(pk)'",
  },
  'a group with members is deleted without asking': {
    file: WRITE,
    find: 'if (!removeMembers) await requireNoMembers(id);',
    replace: '',
  },
  'the job removes memberships by the system': {
    file: JOB,
    find: 'tryRemove(id, userId, deletion.by)',
    replace: 'tryRemove(id, userId, SYSTEM)',
  },
  'the last two administrators of a group remove each other': {
    file: 'lib/features/my-group/write.ts',
    find: 'return { before, after, unchanged };',
    replace: 'return { before, after };',
  },
  'the removal of a deleted group is an event': {
    file: 'lib/features/groups/event.ts',
    find: 'return old && !old.deletion ?',
    replace: 'return old ?',
  },
};
