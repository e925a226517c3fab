import { useDocumentVisibility } from '@mantine/hooks';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { accessToken } from '../api/access-token.ts';
import type { User } from '../api/user-details.ts';
import type { UserList } from '../api/users.ts';
import { useStore } from '../store.ts';
import { type Change, feed, updateFeed } from './feed.ts';
import { followChanges } from './follow-changes.ts';

const HOUR_MS = 3_600_000;

/**
 * Follows all changes while the page is visible, and shows them in what is already loaded, without further requests.
 * A page that nobody sees keeps no stream, which would keep a function running.
 */
export function useChangeFeed() {
  const queryClient = useQueryClient();
  const token = useStore(accessToken);
  const isVisible = useDocumentVisibility() === 'visible';
  /** Where to start without a cursor; undefined while paused. */
  const [start, setStart] = useState<{ after?: string } | undefined>({});
  const [newUserIds, setNewUserIds] = useState<string[]>([]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another token may be allowed to subscribe
  useEffect(() => {
    if (!start) updateFeed({ status: 'paused' });
    if (!start || !isVisible) return undefined;
    const { cursor, status } = feed.get();
    // What happened since the last stream is not known.
    if (status === 'failed' && !cursor) queryClient.invalidateQueries();
    return followChanges(cursor ?? start.after, (change) => {
      applyChange(queryClient, change);
      if (isNew(change) && !isListed(queryClient, change.id)) setNewUserIds((ids) => [...new Set([...ids, change.id])]);
      if (change.kind === 'DELETED') setNewUserIds((ids) => ids.filter((id) => id !== change.id));
    });
  }, [start, isVisible, queryClient, token]);

  // A list that is loaded later may show them.
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe(() =>
        setNewUserIds((ids) => {
          const unlisted = ids.filter((id) => !isListed(queryClient, id));
          return unlisted.length === ids.length ? ids : unlisted;
        }),
      ),
    [queryClient],
  );

  const pause = useCallback(() => setStart(undefined), []);
  const resume = useCallback(() => setStart({}), []);
  const showLastHour = useCallback(() => {
    updateFeed({ changes: [], cursor: undefined });
    setStart({ after: new Date(Date.now() - HOUR_MS).toISOString() });
  }, []);
  const showNew = useCallback(() => {
    setNewUserIds([]);
    queryClient.invalidateQueries({ queryKey: ['users'] });
  }, [queryClient]);
  return { newUserIds, showNew, pause, resume, showLastHour };
}

const isNew = ({ kind, at }: Change) => kind === 'CREATED' && Date.parse(at) > Date.parse(feed.get().startedAt ?? at);

const isListed = (queryClient: QueryClient, id: string) =>
  queryClient
    .getQueriesData<UserList>({ queryKey: ['users'] })
    .some(([, list]) => list?.users.some((user) => user.id === id));

function applyChange(queryClient: QueryClient, { kind, id, user }: Change): void {
  if (kind === 'DELETED') {
    queryClient.setQueriesData<User | null>({ queryKey: ['user', id] }, (old) => old && null);
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
  queryClient.setQueriesData<User | null>({ queryKey: ['user', id] }, (old) =>
    old && old.version < user.version ? { ...old, ...user } : old,
  );
}

function removeUser(list: UserList, id: string): UserList {
  const users = list.users.filter((user) => user.id !== id);
  if (users.length === list.users.length) return list;
  return { ...list, users, ...(list.total === undefined ? {} : { total: list.total - 1 }) };
}
