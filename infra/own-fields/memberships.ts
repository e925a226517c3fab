import { completeDeclaration } from '../../lib/users/fields/declaration.ts';
import type { GroupSettings } from '../settings/settings.ts';
import { findRoomIssue } from './room.ts';
import type { FieldDeclarations } from './rules.ts';

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

/** Own fields without room for the derived items of memberships. */
export const findMembershipIssue = (fields: FieldDeclarations, groups: GroupSettings): string | undefined =>
  groups.groups
    ? findRoomIssue(
        Object.entries(addMemberships(fields, groups)).map(([name, field]) => ({
          ...completeDeclaration(field),
          name,
        })),
      )
    : undefined;
