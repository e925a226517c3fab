import { Button, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useRef } from 'react';
import { createUser, deleteUser, type UserInput } from '../api/users.ts';
import { useFocusAfter, useShownFault } from '../focus.ts';
import { notify, useErrorNotice } from '../notices.tsx';
import { closeUser, navigate } from '../route.ts';
import { forgetUser } from './delete-user.tsx';
import { type Draft, dropDraft, findCreationKey, renewCreationKey, setDraft, settleDraft, useDraft } from './drafts.ts';
import { FormActions, UserFields } from './fields.tsx';

const base = { id: 'new', name: '', email: '', version: 0 };
export const emptyDraft: Draft = { base, input: { name: '', email: '' } };

export function NewUser() {
  const queryClient = useQueryClient();
  const draft = useDraft(base.id) ?? emptyDraft;
  const { name } = draft.input;
  const form = useRef<HTMLFormElement>(null);
  const createButton = useRef<HTMLButtonElement>(null);
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
  useFocusAfter(isPending, createButton);
  useShownFault(form, error);
  const change = (input: UserInput) => {
    setDraft({ base, input });
    renewCreationKey(base.id);
    // A creation that is under way goes on.
    if (error) reset();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    // Unlike the options of useMutation, those of mutate apply only while the form is open.
    mutate(draft, { onSuccess: ({ id }) => navigate({ user: id }) });
  };
  const cancel = () => {
    dropDraft(base.id);
    closeUser(base.id);
  };
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack>
        <UserFields autoFocus value={draft.input} error={error} onChange={change} />
        <FormActions>
          <Button type="submit" ref={createButton} loading={isPending}>
            Create
          </Button>
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </FormActions>
      </Stack>
    </form>
  );
}
