import type { TypedDocument } from '../../../../lib/client/client.ts';
import { isSameValue, listMembers } from '../own-fields.ts';
import { client, lastingClient } from './client.ts';
import type { DeleteUsersMutation, DeleteUsersMutationVariables } from './document-types.ts';
import { type ListedUser, type User, withUserFields } from './users.ts';

/** A GraphQL document has so many aliases at most. */
const MAX_READ = 15;
/** `deleteUsers` takes so many. */
const MAX_DELETED = 50;

/** Reads users by their ids, in that order. Those who do not exist any more are missing. */
export async function readUsers(ids: readonly string[], signal?: AbortSignal): Promise<User[]> {
  const users: User[] = [];
  for (const part of split(ids, MAX_READ)) {
    const declared = part.map((_, at) => `$id${at}: ID!`).join(', ');
    const selected = part.map((_, at) => `  user${at}: user(id: $id${at}) { ...UserFields }`).join('\n');
    // The types of documents are generated only of those that have no expressions.
    const document: TypedDocument<
      Record<string, User | null>,
      Record<string, string>
    > = `query GetUsers(${declared}) {\n${selected}\n}`;
    const answer = await client.graphql(
      withUserFields(document),
      Object.fromEntries(part.map((id, at) => [`id${at}`, id])),
      { signal },
    );
    users.push(...part.flatMap((_, at) => answer[`user${at}`] ?? []));
  }
  return users;
}

const DELETE_USERS: TypedDocument<DeleteUsersMutation, DeleteUsersMutationVariables> =
  `mutation DeleteUsers($input: DeleteUsersInput!) {
  deleteUsers(input: $input) { results { id error { message code } } }
}`;

/** `deleted` are the ids of users who do not exist any more; `failed` are those who do, as they are now. */
export type Deletion = { deleted: string[]; failed: { user: ListedUser; reason: string }[] };

/**
 * Returns a function that deletes users provided that they are as they are listed now. One who fails does not hold up the others.
 * Their versions, which lists do not have, are read at once, so that what it sends goes on when the page is left.
 */
export function prepareDeletion(listed: readonly ListedUser[]): () => Promise<Deletion> {
  const reading = readUsers(listed.map(({ id }) => id));
  // The function tells of it.
  reading.catch(() => {});
  return async () => deleteUsers(listed, await reading);
}

async function deleteUsers(listed: readonly ListedUser[], users: User[]): Promise<Deletion> {
  const current = new Map(users.map((user) => [user.id, user]));
  const deletion: Deletion = { deleted: [], failed: [] };
  const found: User[] = [];
  for (const user of listed) {
    const read = current.get(user.id);
    if (!read) deletion.deleted.push(user.id);
    else if (isAsListed(user, read)) found.push(read);
    else deletion.failed.push({ user: read, reason: 'The user has changed since it was listed' });
  }
  for (const part of split(found, MAX_DELETED)) {
    const users = part.map(({ id, version }) => ({ id, ifVersion: version }));
    const { deleteUsers } = await lastingClient.graphql(DELETE_USERS, { input: { users } }, { idempotent: true });
    for (const [at, user] of part.entries()) {
      const error = deleteUsers?.results[at]?.error;
      // An attempt whose answer was lost, or another client, has deleted the user.
      if (!error || error.code === 'NOT_FOUND') deletion.deleted.push(user.id);
      else deletion.failed.push({ user, reason: error.message });
    }
  }
  return deletion;
}

const isAsListed = (listed: ListedUser, current: User): boolean =>
  listMembers().every((name) => isSameValue(listed[name], current[name]));

function split<Item>(items: readonly Item[], size: number): Item[][] {
  const parts: Item[][] = [];
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
  return parts;
}
