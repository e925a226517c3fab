import type { TypedDocument } from '../../../../lib/client/client.ts';
import { connect, lastingClient } from './client.ts';
import type { User } from './users.ts';

/** Skips users who no longer exist. */
export const readUsers = async (ids: readonly string[], signal?: AbortSignal): Promise<User[]> =>
  (await connect().users.getMany(ids, { signal })).filter((user) => user !== undefined);

const DELETE_USERS: TypedDocument<
  { deleteUsers: { results: { error: { message: string; code: string } | null }[] } | null },
  { input: { users: { id: string; ifVersion: number }[] } }
> = `mutation DeleteUsers($input: DeleteUsersInput!) {
  deleteUsers(input: $input) { results { error { message code } } }
}`;

export type Failure = { user: User; reason: string };

/** Deletes at most 50 users, even if the page is left. A failed deletion does not stop the others. */
export async function deleteUsers(part: readonly User[]): Promise<Failure[]> {
  const users = part.map(({ id, version }) => ({ id, ifVersion: version }));
  const { deleteUsers } = await lastingClient.graphql(DELETE_USERS, { input: { users } }, { idempotent: true });
  return part.flatMap((user, at) => {
    const error = deleteUsers?.results[at]?.error;
    // Another client, or an earlier attempt with a lost response, has deleted the user.
    if (!error || error.code === 'NOT_FOUND') return [];
    const reason = error.code === 'PRECONDITION_FAILED' ? 'The user has changed since it was listed' : error.message;
    return [{ user, reason }];
  });
}
