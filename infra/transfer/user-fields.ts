import type { TypedDocument } from '../../lib/client/client.ts';

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
  `${document}\n\n${USER_FIELDS.replace('email', ['email', ...ownFields].join('\n  '))}`;
