import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { getUser, type ListedUser, type ListRequest, listUsers, type SavedUser, type UserList } from './api/users.ts';
import { isSameValue, listMembers } from './own-fields.ts';

// Versions that arrive during a request win: its response may be older.

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['user', id],
    queryFn: async ({ client, queryKey, signal }) => {
      const before = client.getQueryData<SavedUser | null>(queryKey);
      const read = await getUser(id, signal);
      const shown = client.getQueryData<typeof read>(queryKey);
      if (shown === before || shown === undefined) return read;
      return shown && read && isAtLeast(read, shown.version) ? read : shown;
    },
  });

export const listQuery = (request: ListRequest) =>
  queryOptions({
    queryKey: ['users', request],
    queryFn: async ({ client, queryKey, signal }): Promise<UserList> => {
      const before = indexUsers(client.getQueryData<UserList>(queryKey));
      const { users, ...list } = await listUsers(request, signal);
      const shown = indexUsers(client.getQueryData<UserList>(queryKey));
      const choose = (read: ListedUser): ListedUser | [] => {
        const known = shown.get(read.id);
        if (known !== before.get(read.id)) return known ?? [];
        // Unchanged users keep the version that `showUser` has set.
        return known && hasSameValues(known, read) ? known : read;
      };
      return { ...list, users: users.flatMap(choose) };
    },
  });

const indexUsers = (list: UserList | undefined) => new Map(list?.users.map((user) => [user.id, user]));

const hasSameValues = (one: ListedUser, other: ListedUser): boolean =>
  listMembers().every((name) => isSameValue(one[name], other[name]));

/** False if the shown version is unknown: REST lists have none. */
const isAtLeast = (shown: ListedUser, version: number): boolean => Number(shown.version) >= version;

/** Shows the user in the panel and in lists, unless they show a newer version. */
export function showUser(queryClient: QueryClient, user: SavedUser): void {
  const { id, version } = user;
  const replace = <Shown extends ListedUser>(shown: Shown): Shown =>
    shown.id !== id || isAtLeast(shown, version) ? shown : { ...shown, ...user };
  changeLists(queryClient, id, (list) => ({ ...list, users: list.users.map(replace) }));
  const { queryKey } = userQuery(id);
  const opened = queryClient.getQueryData(queryKey);
  if (opened) queryClient.setQueryData(queryKey, replace(opened));
  // Reads whether the user was restored, or this version is older than the deletion.
  else if (opened === null) queryClient.resetQueries({ queryKey });
}

/** Removes a deleted user. Returns false for a user who was restored since. `version` is null if unknown. */
export function removeUser(queryClient: QueryClient, id: string, version: number | null): boolean {
  const lists = queryClient.getQueriesData<UserList>({ queryKey: ['users'] });
  const { queryKey } = userQuery(id);
  const opened = queryClient.getQueryData(queryKey);
  const shown = [opened, ...lists.map(([, list]) => list?.users.find((user) => user.id === id))];
  if (version !== null && shown.some((user) => user && isAtLeast(user, version))) return false;
  changeLists(queryClient, id, ({ users, total, ...list }) => ({
    ...list,
    users: users.filter((user) => user.id !== id),
    ...(total === undefined ? {} : { total: total - 1 }),
  }));
  if (opened) queryClient.setQueryData(queryKey, null);
  return true;
}

/** Keeps the time when the lists were read. */
function changeLists(queryClient: QueryClient, id: string, change: (list: UserList) => UserList): void {
  for (const { queryKey, state } of queryClient.getQueryCache().findAll({ queryKey: ['users'] }))
    queryClient.setQueryData<UserList>(
      queryKey,
      (list) => (list?.users.some((user) => user.id === id) ? change(list) : undefined),
      { updatedAt: state.dataUpdatedAt },
    );
}
