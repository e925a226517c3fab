import { queryOptions } from '@tanstack/react-query';
import { getUser, type ListRequest, listUsers, type User, type UserList } from './api/users.ts';
import { queryClient } from './query-client.ts';
import type { Route } from './route.ts';
import { findConditions } from './users/filter.ts';
import { readOrder } from './users/order.ts';

// Versions that arrive during a request win: its response may be older.

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ['user', id],
    queryFn: async ({ client, queryKey, signal }) => {
      const before = client.getQueryData<User | null>(queryKey);
      const read = await getUser(id, signal);
      const shown = client.getQueryData<typeof read>(queryKey);
      if (shown === before || shown === undefined) return read;
      return shown && read && read.version >= shown.version ? read : shown;
    },
  });

export function toListRequest(route: Route): ListRequest {
  const { page, size: limit, after } = route;
  const conditions = findConditions(route);
  return conditions ? { limit, ...conditions, after } : { limit, page, order: readOrder(route) };
}

export const listQuery = (request: ListRequest) =>
  queryOptions({
    queryKey: ['users', request],
    queryFn: async ({ client, queryKey, signal }): Promise<UserList> => {
      const before = indexUsers(client.getQueryData<UserList>(queryKey));
      const { users, ...list } = await listUsers(request, signal);
      const shown = indexUsers(client.getQueryData<UserList>(queryKey));
      const choose = (read: User): User | [] => {
        const known = shown.get(read.id);
        if (!known) return before.has(read.id) ? [] : read;
        return known.version > read.version ? known : read;
      };
      return { ...list, users: users.flatMap(choose) };
    },
  });

const indexUsers = (list: UserList | undefined) => new Map(list?.users.map((user) => [user.id, user]));

/** Shows the user in the panel and in lists, unless they show a newer version. */
export function showUser(user: User): void {
  const { id, version } = user;
  const replace = (shown: User): User => (shown.id !== id || shown.version >= version ? shown : user);
  changeLists(id, (list) => ({ ...list, users: list.users.map(replace) }));
  const { queryKey } = userQuery(id);
  const opened = queryClient.getQueryData(queryKey);
  if (opened) queryClient.setQueryData(queryKey, replace(opened));
  // Reads whether the user was restored, or this version is older than the deletion.
  else if (opened === null) queryClient.resetQueries({ queryKey });
}

/** Removes a deleted user. Returns false for a user who was restored since. `version` is null if unknown. */
export function removeUser(id: string, version: number | null): boolean {
  const lists = queryClient.getQueriesData<UserList>({ queryKey: ['users'] });
  const { queryKey } = userQuery(id);
  const opened = queryClient.getQueryData(queryKey);
  const shown = [opened, ...lists.map(([, list]) => list?.users.find((user) => user.id === id))];
  if (version !== null && shown.some((user) => user && user.version >= version)) return false;
  changeLists(id, ({ users, total, ...list }) => ({
    ...list,
    users: users.filter((user) => user.id !== id),
    total: total && total - 1,
  }));
  if (opened) queryClient.setQueryData(queryKey, null);
  return true;
}

/** Keeps the time when the lists were read. */
function changeLists(id: string, change: (list: UserList) => UserList): void {
  for (const { queryKey, state } of queryClient.getQueryCache().findAll({ queryKey: ['users'] }))
    queryClient.setQueryData<UserList>(
      queryKey,
      (list) => (list?.users.some((user) => user.id === id) ? change(list) : undefined),
      { updatedAt: state.dataUpdatedAt },
    );
}
