import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { isCreatedHere, type UserList } from '../api/users.ts';
import { hasUser } from './apply-change.ts';
import { type Change, feed } from './feed.ts';

/** The users that others have created while the page is open, and that no loaded list shows. */
export function useNewUsers() {
  const queryClient = useQueryClient();
  const [newUserIds, setNewUserIds] = useState<string[]>([]);

  // A list that is loaded later may show them.
  useEffect(
    () =>
      queryClient.getQueryCache().subscribe(() =>
        setNewUserIds((ids) => {
          const unlisted = ids.filter((id) => !isKnown(queryClient, id));
          return unlisted.length === ids.length ? ids : unlisted;
        }),
      ),
    [queryClient],
  );

  const addNewUsers = useCallback(
    (changes: Change[]) => {
      const created = changes.filter((change) => isNew(change) && !isKnown(queryClient, change.id));
      const deleted = new Set(changes.filter(({ kind }) => kind === 'DELETED').map(({ id }) => id));
      setNewUserIds((ids) => [...new Set([...ids, ...created.map(({ id }) => id)])].filter((id) => !deleted.has(id)));
    },
    [queryClient],
  );

  const showNew = useCallback(() => {
    setNewUserIds([]);
    queryClient.invalidateQueries({ queryKey: ['users'] });
  }, [queryClient]);

  return { newUserIds, addNewUsers, showNew };
}

const isNew = ({ kind, at }: Change) => kind === 'CREATED' && Date.parse(at) > Date.parse(feed.get().startedAt ?? at);

const isKnown = (queryClient: QueryClient, id: string) =>
  isCreatedHere(id) ||
  queryClient.getQueriesData<UserList>({ queryKey: ['users'] }).some(([, list]) => list && hasUser(list, id));
