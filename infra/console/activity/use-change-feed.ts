import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { accessToken } from '../api/access-token.ts';
import type { UserWithPosts } from '../api/user-details.ts';
import type { UserList } from '../api/users.ts';
import { useStore } from '../store.ts';
import { type Change, feed, followChanges } from './follow-changes.ts';

type Start = { after: string | undefined; paused: boolean };

const HOUR_MS = 3_600_000;
const LOADED_AT = Date.now();

/** Follows all changes while the page is open, and shows them in what is already loaded, without further requests. */
export function useChangeFeed() {
  const queryClient = useQueryClient();
  const token = useStore(accessToken);
  const [{ after, paused }, setStart] = useState<Start>({ after: undefined, paused: false });
  const [newUserIds, setNewUserIds] = useState<string[]>([]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another token may be allowed to subscribe
  useEffect(() => {
    if (paused) {
      feed.set((value) => ({ ...value, status: 'paused' }));
      return undefined;
    }
    return followChanges(after, (change) => {
      applyChange(queryClient, change);
      const isNew = change.kind === 'CREATED' && Date.parse(change.at) > LOADED_AT && !isListed(queryClient, change.id);
      if (isNew) setNewUserIds((ids) => [...new Set([...ids, change.id])]);
      if (change.kind === 'DELETED') setNewUserIds((ids) => ids.filter((id) => id !== change.id));
    });
  }, [after, paused, queryClient, token]);

  const togglePause = useCallback(() => setStart(({ paused }) => ({ after: feed.get().cursor, paused: !paused })), []);
  const showLastHour = useCallback(() => {
    feed.set((value) => ({ ...value, changes: [] }));
    setStart({ after: new Date(Date.now() - HOUR_MS).toISOString(), paused: false });
  }, []);
  const showNew = useCallback(() => {
    setNewUserIds([]);
    queryClient.invalidateQueries({ queryKey: ['users'] });
  }, [queryClient]);
  return { newUserIds, showNew, togglePause, showLastHour };
}

const isListed = (queryClient: QueryClient, id: string) =>
  queryClient
    .getQueriesData<UserList>({ queryKey: ['users'] })
    .some(([, list]) => list?.users.some((user) => user.id === id));

function applyChange(queryClient: QueryClient, { kind, id, user }: Change): void {
  if (kind === 'DELETED') {
    queryClient.setQueriesData<UserWithPosts | null>({ queryKey: ['user', id] }, (old) => old && null);
    return void queryClient.setQueriesData<UserList>({ queryKey: ['users'] }, (list) => list && removeUser(list, id));
  }
  if (!user) return;
  const { name, email } = user;
  queryClient.setQueriesData<UserList>({ queryKey: ['users'] }, (list) =>
    list?.users.some((each) => each.id === id)
      ? { ...list, users: list.users.map((each) => (each.id === id ? { id, name, email } : each)) }
      : list,
  );
  // Changes can arrive later than a newer state was read.
  queryClient.setQueriesData<UserWithPosts | null>({ queryKey: ['user', id] }, (old) =>
    old && old.version < user.version ? { ...old, ...user } : old,
  );
}

function removeUser(list: UserList, id: string): UserList {
  const users = list.users.filter((user) => user.id !== id);
  if (users.length === list.users.length) return list;
  return { ...list, users, ...(list.total === undefined ? {} : { total: list.total - 1 }) };
}
