import { useCallback, useEffect } from 'react';
import { isVersionMismatch } from '../api/errors.ts';
import type { User } from '../api/user-details.ts';
import { dropDraft, isSaved, useDraft } from './drafts.ts';
import { isChoice, useSaveUser } from './use-save-user.ts';

/** The draft of a user, how saving it goes, and how the user has changed meanwhile. */
export function useEditUser(user: User) {
  const draft = useDraft(user.id);
  const save = useSaveUser(user);
  const { error, isPending, reset } = save;
  const discard = useCallback(() => {
    dropDraft(user.id);
    reset();
  }, [user.id, reset]);
  // The change may be the one that is being saved.
  const isOutdated = !isPending && draft !== undefined && draft.base.version < user.version;
  // By others, or by a save whose answer was lost.
  const isDone = isOutdated && isSaved(draft.input, user);
  useEffect(() => {
    if (isDone) discard();
  }, [isDone, discard]);
  const isRejected = isOutdated && !isDone && isVersionMismatch(error);
  const isConflict = draft !== undefined && (isRejected || isChoice(draft, save.variables));
  return { draft, save, discard, isOutdated: isOutdated && !isDone, conflict: isConflict ? draft : undefined };
}
