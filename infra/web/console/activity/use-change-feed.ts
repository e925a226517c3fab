import { useDidUpdate, useDocumentVisibility } from '@mantine/hooks';
import { notifyManager, type Query } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { client } from '../api/client.ts';
import { isOlderThanCreated, type UserList } from '../api/users.ts';
import { accessToken } from '../auth/access-token.ts';
import { dropDeletion, pendingDeletions } from '../deletions.ts';
import { useIsImporting } from '../import/state.ts';
import { dismissAbout, notify } from '../notices.tsx';
import { offer } from '../offer.ts';
import { useIsOutage } from '../outage/outage.ts';
import { queryClient, refresh, refreshLists } from '../query-client.ts';
import { navigate } from '../route.ts';
import { removeUser, showUser, userQuery } from '../shown-users.ts';
import { titleDrafts, userDrafts } from '../user/drafts.ts';
import { forgetPerson } from '../user/forget-person.ts';
import { type Change, feed, followChanges, updateFeed } from './feed.ts';

/** Follows changes only while the page is visible: each stream keeps a Lambda function running. */
export function useChangeFeed() {
  const isVisible = useDocumentVisibility() === 'visible';
  /** A new object restarts the stream. Undefined while paused or without live changes. */
  const [start, setStart] = useState<object | undefined>(() => (offer.get().changes === 'live' ? {} : undefined));
  const { newUserIds, addNewUsers, showNew } = useNewUsers();

  useEffect(() => {
    if (!start) updateFeed({ status: 'paused' });
    if (!start || !isVisible) return undefined;
    const { cursor } = feed.get();
    const onChanges = (changes: Change[]) => {
      // Only the latest change of each user: a user who was deleted and restored never disappears.
      const latest = new Map(changes.map((change) => [change.id, change]));
      notifyManager.batch(() => {
        for (const change of latest.values()) applyChange(change);
      });
      addNewUsers(changes);
    };
    return followChanges(cursor, onChanges, () => setStart({}), readAgain);
  }, [start, isVisible, addNewUsers]);

  // Restarts the stream with a new token, which may be allowed to subscribe.
  useEffect(() => accessToken.subscribe(() => setStart((current) => current && { ...current })), []);
  // Restarts the stream after an outage, because the stream's own retries wait longer.
  const isOutage = useIsOutage();
  useDidUpdate(() => {
    if (!isOutage) setStart((current) => current && { ...current });
  }, [isOutage]);

  const pause = useCallback(() => setStart(undefined), []);
  const resume = useCallback(() => setStart({}), []);
  return { newUserIds, showNew, pause, resume };
}

/** First requests that are still running may have read before, and React Query does not repeat them. */
async function readAgain(): Promise<void> {
  const isFirst = ({ state }: Query) => state.fetchStatus === 'fetching' && state.data === undefined;
  const running = queryClient.getQueryCache().findAll({ predicate: isFirst });
  queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'outage' });
  await Promise.allSettled(running.map(({ promise }) => promise));
  queryClient.invalidateQueries({ predicate: (query) => running.includes(query) });
}

export const MAX_NEW_USERS = 1000;

/** Other clients' new users, unless a loaded list shows them. */
function useNewUsers() {
  const [newUserIds, setNewUserIds] = useState<string[]>([]);
  const isImporting = useIsImporting();

  const change = useCallback(
    (update: (ids: string[]) => string[]) =>
      setNewUserIds((ids) => {
        const changed = listUnknown(update(ids)).slice(0, MAX_NEW_USERS);
        return changed.length === ids.length && changed.every((id, at) => id === ids[at]) ? ids : changed;
      }),
    [],
  );

  useEffect(
    () =>
      queryClient.getQueryCache().subscribe(({ type, query }) => {
        if (type === 'updated' && query.queryKey[0] === 'users') change((ids) => ids);
      }),
    [change],
  );

  const addNewUsers = useCallback(
    (changes: Change[]) => {
      const created = changes.filter(({ kind }) => kind === 'CREATED').map(({ id }) => id);
      const deleted = new Set(changes.filter(({ kind }) => kind === 'DELETED').map(({ id }) => id));
      if (created.length + deleted.size > 0)
        change((ids) => [...new Set([...ids, ...created])].filter((id) => !deleted.has(id)));
    },
    [change],
  );

  const showNew = useCallback(() => {
    setNewUserIds([]);
    refresh(['users']);
  }, []);

  // Reads the lists again after an import: during an outage, the feed may have missed its changes.
  const wasImporting = useRef(false);
  useEffect(() => {
    if (wasImporting.current && !isImporting) refreshLists();
    wasImporting.current = isImporting;
  }, [isImporting]);

  // Shows no new users during an import: changes may arrive before the response that identifies the imported users.
  return { newUserIds: isImporting ? NONE : newUserIds, addNewUsers, showNew };
}

const NONE: string[] = [];

function listUnknown(ids: string[]): string[] {
  if (ids.length === 0) return ids;
  const lists = queryClient.getQueriesData<UserList>({ queryKey: ['users'] });
  const listed = new Set(lists.flatMap(([, list]) => list?.users.map(({ id }) => id) ?? []));
  return ids.filter((id) => !listed.has(id) && !isOlderThanCreated(id));
}

export function applyChange({ id, version, user }: Change): void {
  if (user) {
    dismissAbout(deletionOf(id));
    showUser(user);
  } else if (removeUser(id, version))
    // Leaves the deleted user in the render that updates the lists. Otherwise the user would reappear for a moment.
    notifyManager.schedule(() => leaveDeleted(id));
}

const deletionOf = (id: string): string => `deletion of ${id}`;

/** Keeps the draft unless the deletion started on this page, or was an erasure. */
async function leaveDeleted(id: string): Promise<void> {
  if (pendingDeletions.get().has(id)) {
    dropDeletion(id);
    userDrafts.drop(id);
  }
  dismissAbout(id);
  const hasTitles = titleDrafts.list().some(({ base }) => base.authorId === id);
  if (!userDrafts.find(id) && !hasTitles) return;
  const { queryKey } = userQuery(id);
  queryClient.setQueryData(queryKey, null);
  // The panel asks again if this request fails.
  const erasure = await client.erasures.find(id).catch(() => undefined);
  // The user was restored meanwhile.
  if (queryClient.getQueryData(queryKey) !== null) return;
  if (erasure) {
    forgetPerson(id);
    // The notice has no subject: the panel of the erased user dismisses notices about that user.
    notify({ message: 'A user was erased elsewhere. Your unsaved changes of that user were removed.', tone: 'error' });
    return;
  }
  const name = userDrafts.find(id)?.base.name;
  if (name === undefined) return;
  notify({
    message: `${name} was deleted elsewhere. Your unsaved changes are kept.`,
    name,
    tone: 'error',
    subject: deletionOf(id),
    authorId: id,
    action: { label: 'Show', run: () => navigate({ user: id }) },
  });
}
