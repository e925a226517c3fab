import type { TypedDocument } from '../../../../lib/client/client.ts';
import { isSameValue, listMembers } from '../own-fields.ts';
import { client, lastingClient } from './client.ts';
import type {
  DeleteUsersMutation,
  DeleteUsersMutationVariables,
  GetUsersQuery,
  GetUsersQueryVariables,
} from './document-types.ts';
import { type ListedUser, type User, withUserFields } from './users.ts';

/** Limit of `usersByIds`. */
const MAX_READ = 100;

const USERS_BY_IDS: TypedDocument<GetUsersQuery, GetUsersQueryVariables> = `query GetUsers($ids: [ID!]!) {
  usersByIds(ids: $ids) {
    ...UserFields
  }
}`;

/** Skips users who no longer exist. */
export async function readUsers(ids: readonly string[], signal?: AbortSignal): Promise<User[]> {
  const users: User[] = [];
  for (let at = 0; at < ids.length; at += MAX_READ) {
    const variables = { ids: ids.slice(at, at + MAX_READ) };
    const { usersByIds } = await client.graphql(withUserFields(USERS_BY_IDS), variables, { signal });
    users.push(...usersByIds.filter((user) => user !== null));
  }
  return users;
}

const DELETE_USERS: TypedDocument<DeleteUsersMutation, DeleteUsersMutationVariables> =
  `mutation DeleteUsers($input: DeleteUsersInput!) {
  deleteUsers(input: $input) { results { id error { message code } } }
}`;

export type Failure = { user: ListedUser; reason: string };

/** `unchanged`: still as listed, with versions. `gone`: ids of users who no longer exist. */
export type Deletable = { unchanged: User[]; gone: string[]; failures: Failure[] };

/** Reads the versions, which lists lack. */
export async function readDeletable(listed: readonly ListedUser[]): Promise<Deletable> {
  const users = await readUsers(listed.map(({ id }) => id));
  const current = new Map(users.map((user) => [user.id, user]));
  const deletable: Deletable = { unchanged: [], gone: [], failures: [] };
  for (const user of listed) {
    const read = current.get(user.id);
    if (!read) deletable.gone.push(user.id);
    else if (isAsListed(user, read)) deletable.unchanged.push(read);
    else deletable.failures.push({ user: read, reason: 'The user has changed since it was listed' });
  }
  return deletable;
}

/** Deletes at most 50 users, even if the page is left. A failed deletion does not stop the others. */
export async function deleteUsers(part: readonly User[]): Promise<Failure[]> {
  const users = part.map(({ id, version }) => ({ id, ifVersion: version }));
  const { deleteUsers } = await lastingClient.graphql(DELETE_USERS, { input: { users } }, { idempotent: true });
  return part.flatMap((user, at) => {
    const error = deleteUsers?.results[at]?.error;
    // Another client, or an earlier attempt with a lost response, has deleted the user.
    return !error || error.code === 'NOT_FOUND' ? [] : [{ user, reason: error.message }];
  });
}

const isAsListed = (listed: ListedUser, current: User): boolean =>
  listMembers().every((name) => isSameValue(listed[name], current[name]));
