import type { TypedDocument } from '../../lib/client/client.ts';
import { membershipField } from '../../lib/users/fields/values.ts';

const USER_FIELDS = `fragment UserFields on User {
  id
  name
  email
  createdAt
  updatedAt
  version
}`;

/** Selects own fields in the fragment UserFields, after `email`. */
export const appendUserFields = <Data, Variables>(
  document: TypedDocument<Data, Variables>,
  ownFields: readonly string[],
): TypedDocument<Data, Variables> =>
  `${document}\n\n${USER_FIELDS.replace('email', ['email', ...ownFields.map(selectField)].join('\n  '))}`;

/** Memberships get the members of REST. */
const selectField = (name: string): string => (name === membershipField?.name ? `${name} { id: groupId role }` : name);
