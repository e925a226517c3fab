import { notifyManager, useMutation, useQueryClient } from '@tanstack/react-query';
import { isNotFound, isVersionMismatch } from '../api/errors.ts';
import type { User } from '../api/user-details.ts';
import { type SavedUser, type UserInput, updateUser } from '../api/users.ts';
import { notify } from '../notices.ts';
import { useErrorNotice } from '../use-error-notice.ts';
import { type Draft, dropDraft, settleDraft } from './drafts.ts';

/** What is to be saved of a draft: all of it, or what the person chose after a conflict. */
type Save = { draft: Draft; base: SavedUser; input: UserInput };

/** After a conflict, the base is the version of the others. */
export const isChoice = (draft: Draft, save: Save | undefined): boolean =>
  save !== undefined && save.base.version > draft.base.version;

/** Saves what differs from the base, provided the user still has its version, and offers to undo it. */
export function useSaveUser({ name }: User) {
  const queryClient = useQueryClient();
  const tellIfClosed = useErrorNotice(`${name} was not saved`);
  const refreshUser = (id: string) => queryClient.invalidateQueries({ queryKey: ['user', id] });
  const refresh = (id: string) =>
    Promise.all([refreshUser(id), queryClient.invalidateQueries({ queryKey: ['users'] })]);
  return useMutation({
    mutationFn: ({ base, input }: Save) => updateUser(base.id, base.version, findChangedFields(base, input)),
    onSuccess: (saved, { draft, base, input }) => {
      // In one rendering: the saved user without the draft would be the old one, and the draft a change of the old one.
      notifyManager.batch(() => {
        queryClient.setQueryData<User | null>(['user', saved.id], (old) =>
          old && old.version < saved.version ? { ...old, ...saved } : old,
        );
        notifyManager.schedule(() => settleDraft(draft, saved));
      });
      notify({
        message: `Saved ${saved.name} as version ${saved.version}`,
        tone: 'done',
        subject: saved.id,
        // The condition keeps the undo from overwriting a later change.
        undo: async () => {
          await updateUser(saved.id, saved.version, findChangedFields(input, base));
          await refresh(saved.id);
        },
      });
      refresh(saved.id);
    },
    onError: (error, { base }) => {
      tellIfClosed(error);
      if (isNotFound(error)) dropDraft(base.id);
      return isNotFound(error) || isVersionMismatch(error) ? refreshUser(base.id) : undefined;
    },
  });
}

export function findChangedFields(base: UserInput, input: UserInput): Partial<UserInput> {
  return {
    ...(input.name === base.name ? {} : { name: input.name }),
    ...(input.email === base.email ? {} : { email: input.email }),
  };
}
