import type { FieldDeclaration } from '../../../lib/users/fields/declaration.ts';

export type Membership = { id: string; role: Role };
export type Role = (typeof ROLES)[number];

/** The first role is the default. */
export const ROLES = ['member', 'admin'] as const;
export const MAX_GROUPS = 2;

/** The built-in field `groups`, as infra/own-fields/memberships.ts declares it. */
export const MEMBERSHIPS: FieldDeclaration = {
  ...{ type: 'membership', list: true, maxItems: MAX_GROUPS, roles: ROLES, default: [], self: 'hidden' },
};

/** The simulator handles memberships as a text, like other values. Undefined for none. */
export const formatMemberships = (memberships: readonly Membership[]): string | undefined =>
  memberships.length === 0 ? undefined : memberships.map(({ id, role }) => `${id}:${role}`).join(' ');

export const parseMemberships = (text: string | null | undefined): Membership[] =>
  (text ?? '').split(' ').flatMap((each) => {
    const [id = '', role] = each.split(':');
    return id === '' ? [] : [{ id, role: role as Role }]; // `formatMemberships` has written the text.
  });

export const listGroupIds = (text: string | null | undefined): string[] => parseMemberships(text).map(({ id }) => id);
