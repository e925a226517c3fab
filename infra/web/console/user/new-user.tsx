import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { createUser, deleteUser, type UserInput } from '../api/users.ts';
import { notify, useErrorNotice } from '../notices.tsx';
import { refreshLists } from '../query-client.ts';
import { closeUser, navigate } from '../route.ts';
import { forgetUser } from './delete-user.tsx';
import { type Draft, emptyDraft, userDrafts } from './drafts.ts';
import { UserForm } from './user-form.tsx';

const { base } = emptyDraft;

export function NewUser() {
  const queryClient = useQueryClient();
  const draft = userDrafts.useDraft(base.id) ?? emptyDraft;
  const { name } = draft.input;
  /** A draft after that belongs to the next user. */
  const isCancelled = useRef(false);
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: ({ input, key }: Draft) => createUser(input, key),
    onSuccess: (user, sent) => {
      if (!isCancelled.current) userDrafts.settle(sent, user);
      notify({
        message: `Created ${user.name}`,
        name: user.name,
        tone: 'done',
        subject: user.id,
        undo: async () => {
          await deleteUser(user);
          await forgetUser(queryClient, user.id);
        },
      });
      refreshLists();
    },
    onError: useErrorNotice({ message: `${name} was not created`, name }),
  });
  const change = (input: UserInput) => {
    userDrafts.set(base, input);
    if (error) reset();
  };
  // Unlike a callback of `useMutation`, this runs only while the form is open.
  const submit = () => mutate(draft, { onSuccess: ({ id }) => navigate({ user: id }) });
  const cancel = () => {
    isCancelled.current = true;
    userDrafts.drop(base.id);
    closeUser(base.id);
  };
  return (
    <UserForm
      autoFocus
      input={draft.input}
      error={error}
      isPending={isPending}
      submitLabel="Create"
      onChange={change}
      onSubmit={submit}
    >
      <Button variant="default" onClick={cancel}>
        Cancel
      </Button>
    </UserForm>
  );
}
