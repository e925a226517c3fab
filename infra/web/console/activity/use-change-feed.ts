import { useDocumentVisibility } from '@mantine/hooks';
import { notifyManager, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { accessToken } from '../api/access-token.ts';
import { applyChange } from './apply-change.ts';
import { feed, updateFeed } from './feed.ts';
import { followChanges } from './follow-changes.ts';
import { useNewUsers } from './use-new-users.ts';

const HOUR_MS = 3_600_000;

/**
 * Follows all changes while the page is visible, and shows them in what is already loaded. Only `useListUpdates` makes
 * requests because of them. A page that nobody sees keeps no stream, which would keep a function running.
 */
export function useChangeFeed() {
  const queryClient = useQueryClient();
  const isVisible = useDocumentVisibility() === 'visible';
  /** Where to start without a cursor; undefined while paused. */
  const [start, setStart] = useState<{ after?: string } | undefined>({});
  const { newUserIds, addNewUsers, showNew } = useNewUsers();

  useEffect(() => {
    if (!start) updateFeed({ status: 'paused' });
    if (!start || !isVisible) return undefined;
    const { cursor, status } = feed.get();
    // What happened since the last stream is not known.
    if (status === 'failed' && !cursor) queryClient.invalidateQueries();
    return followChanges(cursor ?? start.after, (changes) => {
      notifyManager.batch(() => {
        for (const change of changes) applyChange(queryClient, change);
      });
      addNewUsers(changes);
    });
  }, [start, isVisible, queryClient, addNewUsers]);

  // Another token may be allowed to subscribe.
  useEffect(() => accessToken.subscribe(() => setStart((current) => current && { ...current })), []);

  const pause = useCallback(() => setStart(undefined), []);
  const resume = useCallback(() => setStart({}), []);
  const showLastHour = useCallback(() => {
    updateFeed({ changes: [], cursor: undefined });
    setStart({ after: new Date(Date.now() - HOUR_MS).toISOString() });
  }, []);
  return { newUserIds, showNew, pause, resume, showLastHour };
}
