import type { QueryClient } from '@tanstack/react-query';
import type { User } from '../api/user-details.ts';
import type { UserList } from '../api/users.ts';
import { dismissAbout } from '../notices.ts';
import type { Change } from './feed.ts';

/** Shows a change in what is loaded. */
export function applyChange(queryClient: QueryClient, { kind, id, user }: Change): void {
  if (kind === 'DELETED') dismissAbout(id);
  for (const [key, list] of queryClient.getQueriesData<UserList>({ queryKey: ['users'] }))
    if (list && hasUser(list, id)) queryClient.setQueryData(key, user ? replaceUser(list, user) : removeUser(list, id));
  const opened = queryClient.getQueryData<User | null>(['user', id]);
  if (!opened) return;
  if (kind === 'DELETED') queryClient.setQueryData(['user', id], null);
  // Changes can arrive later than a newer state was read.
  else if (user && opened.version < user.version) queryClient.setQueryData(['user', id], { ...opened, ...user });
}

export const hasUser = ({ users }: UserList, id: string) => users.some((user) => user.id === id);

const replaceUser = (list: UserList, { id, name, email }: User): UserList => ({
  ...list,
  users: list.users.map((each) => (each.id === id ? { id, name, email } : each)),
});

const removeUser = (list: UserList, id: string): UserList => ({
  ...list,
  users: list.users.filter((user) => user.id !== id),
  ...(list.total === undefined ? {} : { total: list.total - 1 }),
});
