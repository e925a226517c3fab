import type { QueryClient } from '@tanstack/react-query';
import type { User } from '../api/user-details.ts';
import type { UserList } from '../api/users.ts';
import { dismissAbout } from '../notices.ts';
import { dropDraft } from '../user/drafts.ts';
import type { Change } from './feed.ts';

/** Shows a change in what is loaded. */
export function applyChange(queryClient: QueryClient, { kind, id, user }: Change): void {
  if (kind === 'DELETED') {
    dismissAbout(id);
    dropDraft(id);
  }
  for (const { queryKey, state } of queryClient.getQueryCache().findAll({ queryKey: ['users'] }))
    queryClient.setQueryData<UserList>(
      queryKey,
      (list) => (list && hasUser(list, id) ? changeList(list, id, user) : undefined),
      // The other users of the list are no newer than before.
      { updatedAt: state.dataUpdatedAt },
    );
  const opened = queryClient.getQueryData<User | null>(['user', id]);
  if (!opened) return;
  if (kind === 'DELETED') queryClient.setQueryData(['user', id], null);
  // Changes can arrive later than a newer state was read.
  else if (user && opened.version < user.version) queryClient.setQueryData(['user', id], { ...opened, ...user });
}

const changeList = (list: UserList, id: string, user: User | null) =>
  user ? replaceUser(list, user) : removeUser(list, id);

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
