import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { createIdempotencyKey } from '../api/idempotency-key.ts';
import { createUser, deleteUser, type UserInput } from '../api/users.ts';
import { dismissAbout, notify } from '../notices.ts';
import { closeUser, navigate } from '../route.ts';
import { type Draft, dropDraft, setDraft, settleDraft, useDraft } from './drafts.ts';
import { UserFields } from './user-fields.tsx';

const base = { id: 'new', name: '', email: '', version: 0 };
const emptyDraft: Draft = { base, input: { name: '', email: '' } };

export function NewUser() {
  const queryClient = useQueryClient();
  const draft = useDraft(base.id) ?? emptyDraft;
  // Sending the form again after a lost response creates no second user.
  const [idempotencyKey, setIdempotencyKey] = useState(() => createIdempotencyKey());
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['users'] });
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: ({ input }: Draft) => createUser(input, idempotencyKey),
    onSuccess: (user, sent) => {
      settleDraft(sent, user);
      notify({
        message: `Created ${user.name}`,
        tone: 'done',
        subject: user.id,
        undo: async () => {
          await deleteUser(user.id, user.version);
          dropDraft(user.id);
          closeUser(user.id);
          dismissAbout(user.id);
          await refresh();
        },
      });
      refresh();
    },
  });
  const change = (input: UserInput) => {
    setDraft({ base, input });
    setIdempotencyKey(createIdempotencyKey());
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
      <Group>
        <Button type="submit" loading={isPending}>
          Create
        </Button>
        <Button variant="default" onClick={cancel}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}
