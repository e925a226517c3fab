import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createUser, deleteUser, type UserInput } from '../api/users.ts';
import { notify, useErrorNotice } from '../notices.tsx';
import { closeUser, navigate } from '../route.ts';
import { forgetUser } from './delete-user.tsx';
import { type Draft, dropDraft, findCreationKey, renewCreationKey, setDraft, settleDraft, useDraft } from './drafts.ts';
import { UserForm } from './user-form.tsx';

const base = { id: 'new', name: '', email: '', version: 0 };
export const emptyDraft: Draft = { base, input: { name: '', email: '' } };

export function NewUser() {
  const queryClient = useQueryClient();
  const draft = useDraft(base.id) ?? emptyDraft;
  const { name } = draft.input;
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: ({ input }: Draft) => createUser(input, findCreationKey(base.id)),
    onSuccess: (user, sent) => {
      settleDraft(sent, user);
      renewCreationKey(base.id);
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
      queryClient.invalidateQueries({ queryKey: ['users'] });
    },
    onError: useErrorNotice({ message: `${name} was not created`, name }),
  });
  const change = (input: UserInput) => {
    setDraft({ base, input });
    renewCreationKey(base.id);
    // A creation that is under way goes on.
    if (error) reset();
  };
  // Unlike the options of useMutation, those of mutate apply only while the form is open.
  const submit = () => mutate(draft, { onSuccess: ({ id }) => navigate({ user: id }) });
  const cancel = () => {
    dropDraft(base.id);
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
