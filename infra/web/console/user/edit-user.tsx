import { Button } from '@mantine/core';
import { notifyManager } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { isChanged, isNotFound } from '../../../../lib/client/client.ts';
import { type User, type UserInput, updateUser } from '../api/users.ts';
import { panelTitle, usePassedFocus } from '../focus.ts';
import { notify, useChange } from '../notices.tsx';
import { canReplace, labelMember } from '../own-fields.ts';
import { LISTS, refresh } from '../query-client.ts';
import { navigate } from '../route.ts';
import { showUser } from '../shown-users.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import {
  type Draft,
  findChangedFields,
  isChoice,
  isSaved,
  mergeDraft,
  pickInput,
  type Save,
  userDrafts,
} from './drafts.ts';
import { Warning } from './form-messages.tsx';
import { UserForm } from './user-form.tsx';

type Props = { user: User; editing: Editing };

export function EditUser({ user, editing }: Props) {
  const { draft, save, discard, draftState } = editing;
  const { mutate, error, isPending, reset } = save;
  const discardButton = usePassedFocus(panelTitle);
  const change = (input: UserInput) => {
    userDrafts.set(draft?.base ?? user, input);
    if (error) reset();
  };
  return (
    <UserForm
      input={draft?.input ?? pickInput(user)}
      error={draftState === 'conflict' || draftState === 'mergeable' ? undefined : error}
      isPending={isPending}
      canSubmit={draft !== undefined}
      submitLabel="Save"
      onChange={change}
      onSubmit={() => draft && mutate({ draft, ...draft })}
      warning={
        draftState === 'outdated' && (
          <Warning>
            This user was changed elsewhere to version {user.version} while you were typing. Saving shows both versions.
          </Warning>
        )
      }
    >
      {draft && (
        <Button variant="default" ref={discardButton} disabled={isPending} onClick={discard}>
          Discard changes
        </Button>
      )}
    </UserForm>
  );
}

export function EditConflict({ user, editing: { draft, save, discard, draftState } }: Props) {
  if (draftState !== 'conflict' || !draft) return null;
  return <ConflictDialog draft={draft} user={user} save={save} onKeep={discard} onCancel={save.reset} />;
}

export type Editing = ReturnType<typeof useEditUser>;

export function useEditUser(user: User) {
  const draft = userDrafts.useDraft(user.id);
  const save = useSaveUser(user);
  const { reset } = save;
  const discard = useCallback(() => {
    userDrafts.drop(user.id);
    reset();
  }, [user.id, reset]);
  const draftState = compare(draft, user, save);
  const { error, mutate } = save;
  useEffect(() => {
    if (draftState === 'saved') discard();
    const merged = draftState === 'mergeable' && draft && mergeDraft(draft, user);
    if (!merged) return;
    const latest = userDrafts.set(user, merged.input);
    if (isChanged(error)) mutate({ draft: latest, ...latest });
    const { id, name } = user;
    const members = merged.theirs.map(labelMember).join(', ');
    if (members)
      notify({
        message: `${members} of ${name} changed elsewhere. Your changes stay.`,
        name,
        subject: id,
        tone: 'done',
      });
  }, [draftState, discard, draft, user, error, mutate]);
  /** Stores the input as a draft before it is saved, so that a failed save can be repeated or discarded. */
  const restore = (input: UserInput) => {
    const restored = userDrafts.set(user, input);
    // Show the first tab, which displays the error. A conflict has its own dialog.
    const onError = (error: Error) => void (isChanged(error) || navigate({ tab: undefined }));
    save.mutate({ draft: restored, ...restored }, { onError });
  };
  return { draft, save, discard, restore, draftState };
}

/**
 * `saved`: the latest version has all changes of the draft, for example after a lost response. `mergeable`: another
 * client changed other members. `outdated` becomes a conflict with the next save.
 */
type DraftState = 'current' | 'mergeable' | 'outdated' | 'conflict' | 'saved';

function compare(draft: Draft | undefined, user: User, save: ReturnType<typeof useSaveUser>): DraftState {
  if (!draft) return 'current';
  // During a save, a new version may be the result of that save.
  const isOutdated = !save.isPending && draft.base.version < user.version;
  const merged = isOutdated && mergeDraft(draft, user);
  if (merged && isSaved(merged.input, user)) return 'saved';
  if (isChoice(draft, save.variables)) return 'conflict';
  if (merged) return 'mergeable';
  if (isOutdated && isChanged(save.error)) return 'conflict';
  return isOutdated ? 'outdated' : 'current';
}

function useSaveUser({ name }: User) {
  return useChange({
    failure: `${name} was not saved`,
    name,
    send: ({ base, input }: Save) => updateUser(base, findChangedFields(base, input)),
    onSent: (saved, { draft, base, input }) => {
      const { id, name, version } = saved;
      // One batch, because the page would otherwise show a false conflict for a moment.
      notifyManager.batch(() => {
        showUser(saved);
        notifyManager.schedule(() => userDrafts.settle(draft, saved));
      });
      const before = findChangedFields(input, base);
      const canUndo = Object.entries(before).every(([member, value]) => canReplace(member, input[member], value));
      // Fails if the user was changed after this save.
      const undo = async () => {
        showUser(await updateUser(saved, before));
        await refresh(['user', id], ...LISTS);
      };
      refresh(['user', id], ...LISTS);
      return { message: `Saved ${name}. Version ${version}.`, name, subject: id, ...(canUndo ? { undo } : {}) };
    },
    onFailed: (error, { base: { id } }) => (isNotFound(error) || isChanged(error)) && refresh(['user', id]),
  });
}
