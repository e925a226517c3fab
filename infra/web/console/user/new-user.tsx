import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { createKey } from '../../../../lib/client/client.ts';
import { createUser, deleteUser, type UserInput } from '../api/users.ts';
import { useFocusAfter } from '../focus.ts';
import { notify, useErrorNotice } from '../notices.tsx';
import { closeUser, navigate } from '../route.ts';
import { forgetUser } from './delete-user.tsx';
import { type Draft, dropDraft, setDraft, settleDraft, useDraft } from './drafts.ts';
import { UserFields } from './fields.tsx';

const base = { id: 'new', name: '', email: '', version: 0 };
export const emptyDraft: Draft = { base, input: { name: '', email: '' } };

export function NewUser() {
  const queryClient = useQueryClient();
  const draft = useDraft(base.id) ?? emptyDraft;
  // Sending the form again after a lost response creates no second user.
  const [idempotencyKey, setIdempotencyKey] = useState(() => createKey());
  const { name } = draft.input;
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: ({ input }: Draft) => createUser(input, idempotencyKey),
    onSuccess: (user, sent) => {
      settleDraft(sent, user);
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
  useFocusAfter(isPending, '.new-user-create');
  const change = (input: UserInput) => {
    setDraft({ base, input });
    setIdempotencyKey(createKey());
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
    <form className="form" onSubmit={submit} noValidate>
      <UserFields autoFocus value={draft.input} error={error} onChange={change} />
      <Group className="form-actions">
        <Button type="submit" className="new-user-create" loading={isPending}>
          Create
        </Button>
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}
