import { restoreUser, undoMergeDocument } from './history.ts';
import type { Signal, Transport, TypedDocument } from './transport.ts';
import { createKey, type OwnFields, removeNulls, selectUser, type User, type UserChanges } from './users.ts';

type MergeInput = {
  keep: string;
  remove: string;
  /** Values for the kept user, such as the address of the other user. The service joins logins and groups. */
  values?: object | undefined;
  ifVersions?: { keep: number; remove: number } | undefined;
  idempotencyKey?: string | undefined;
};

export type Merges<Fields extends OwnFields = object> = {
  /**
   * Merges two users: `keep` gets `values`, the logins, the groups and, within seconds, the posts of `remove`, which is
   * deleted. Returns the kept user. Throws an error recognized by `isChanged` if a user does not have the
   * version in `ifVersions`. Also throws NOT_FOUND, TOO_MANY_LOGINS, TOO_MANY_GROUPS, EMAIL_TAKEN and VALUE_TAKEN,
   * and USER_BLOCKED unless `values` keeps or ends the block of `remove`. Retries never merge twice.
   */
  mergeUsers(input: MergeInput & { values?: UserChanges<Fields> | undefined }, options?: Signal): Promise<User<Fields>>;

  /**
   * Restores a merged user while the history has the merge. The other user gets its former values back, except for
   * fields changed since the merge. A block since the merge applies to both users. Throws the errors of `users.restore`.
   */
  undoMerge(id: string, options?: Signal): Promise<User<Fields>>;
};

export function createMerges<Fields extends OwnFields>(
  url: string,
  transport: Transport,
  fields: readonly string[],
): Merges<Fields> {
  return {
    async mergeUsers({ idempotencyKey = createKey(), ...input }, { signal } = {}) {
      const variables = { input: { ...input, idempotencyKey } };
      const { mergeUsers } = await transport.execute(
        url,
        { query: mergeUsersDocument(fields), variables },
        { signal, idempotent: true },
      );
      return removeNulls<User<Fields>>(mergeUsers.user);
    },

    undoMerge: (id, { signal } = {}) =>
      restoreUser<Fields>(url, transport, { id, fields, query: undoMergeDocument(fields), signal }),
  };
}

export const mergeUsersDocument = (
  fields: readonly string[],
): TypedDocument<{ mergeUsers: { user: object } }, { input: MergeInput }> =>
  `mutation MergeUsers($input: MergeUsersInput!) { mergeUsers(input: $input) { user { ${selectUser(fields)} } } }`;
