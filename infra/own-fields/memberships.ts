import { completeDeclaration } from '../../lib/users/fields/declaration.ts';
import type { GroupSettings } from '../settings/settings.ts';
import { findRoomIssue } from './room.ts';
import { type FieldDeclarations, findSubject } from './rules.ts';

const NAME = 'groups';

/**
 * Adds the built-in field `groups` if the setting is on. The functions get it like an own field, so without the setting
 * nothing changes. People never see it in their own record.
 */
export function addMemberships(
  fields: FieldDeclarations,
  { groups, maxGroups, groupRoles }: GroupSettings,
): FieldDeclarations {
  if (!groups) return fields;
  const description = 'Groups of the user, with the role in each.';
  return {
    ...fields,
    [NAME]: {
      ...({ type: 'membership', list: true, maxItems: maxGroups, roles: groupRoles, default: [] } as const),
      ...({ self: 'hidden', description } as const),
    },
  };
}

/** Returns a sentence if the own fields do not fit the settings of groups. */
export function findMembershipIssue(fields: FieldDeclarations, settings: GroupSettings): string | undefined {
  if (!settings.groups) return undefined;
  const completed = Object.entries(addMemberships(fields, settings)).map(([name, field]) => ({
    ...completeDeclaration(field),
    name,
  }));
  return findRoomIssue(completed) ?? (settings.groupClaim === undefined ? undefined : findAdministratorIssue(fields));
}

function findAdministratorIssue(fields: FieldDeclarations): string | undefined {
  if (findSubject(fields) === undefined)
    return 'The setting groupClaim requires a field that is declared with subject.';
  for (const [name, { groupAdmin, required, default: fallback }] of Object.entries(fields)) {
    if (groupAdmin === undefined)
      return `The field ${name} needs groupAdmin (hidden, read or write): what administrators of a group may do with it.`;
    if (required && fallback === undefined && groupAdmin !== 'write')
      return `The field ${name} needs groupAdmin write: it is required and has no default, so administrators must set it.`;
  }
  return undefined;
}
