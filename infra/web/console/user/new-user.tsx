import { Button } from '@mantine/core';
import { useRef } from 'react';
import { createUser, deleteUser, type UserInput } from '../api/users.ts';
import { useChange } from '../notices.tsx';
import { refreshLists } from '../query-client.ts';
import { closeUser, navigate } from '../route.ts';
import { forgetUsers } from './delete-user.tsx';
import { type Draft, emptyDraft, userDrafts } from './drafts.ts';
import { UserForm } from './user-form.tsx';

const { base } = emptyDraft;

export function NewUser() {
  const draft = userDrafts.useDraft(base.id) ?? emptyDraft;
  const { name } = draft.input;
  /** A draft after that belongs to the next user. */
  const isCancelled = useRef(false);
  const { mutate, error, isPending, reset } = useChange({
    failure: `${name} was not created`,
    name,
    send: ({ input, key }: Draft) => createUser(input, key),
    onSent: (user, sent) => {
      if (!isCancelled.current) userDrafts.settle(sent, user);
      refreshLists();
      const undo = () => deleteUser(user).then(() => forgetUsers(user.id));
      return { message: `Created ${user.name}`, name: user.name, subject: user.id, undo };
    },
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
