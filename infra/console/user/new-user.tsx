import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { createIdempotencyKey } from '../api/idempotency-key.ts';
import { createUser, deleteUser, type UserInput } from '../api/users.ts';
import { notify } from '../notices.ts';
import { navigate } from '../route.ts';
import { UserFields } from './user-fields.tsx';

const newInput = { name: '', email: '' };

export function NewUser() {
  const queryClient = useQueryClient();
  const [input, setInput] = useState<UserInput>(newInput);
  // Sending the form again after a lost response creates no second user.
  const [idempotencyKey, setIdempotencyKey] = useState(() => createIdempotencyKey());
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => createUser(input, idempotencyKey),
    onSuccess: async (user) => {
      await queryClient.invalidateQueries({ queryKey: ['users'] });
      navigate({ user: user.id });
      notify({
        message: `Created ${user.name}`,
        tone: 'done',
        undo: async () => {
          await deleteUser(user.id, 1);
          navigate({ user: undefined });
          await queryClient.invalidateQueries({ queryKey: ['users'] });
        },
      });
    },
  });
  const change = (value: UserInput) => {
    setInput(value);
    setIdempotencyKey(createIdempotencyKey());
    reset();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    mutate();
  };
  return (
    <form className="form" onSubmit={submit} noValidate>
      <UserFields value={input} error={error} onChange={change} />
      <Group>
        <Button type="submit" loading={isPending}>
          Create
        </Button>
        <Button variant="default" onClick={() => navigate({ user: undefined })}>
          Cancel
        </Button>
      </Group>
    </form>
  );
}
