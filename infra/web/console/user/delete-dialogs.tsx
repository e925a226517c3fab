import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isChanged, isNotFound, type Post } from '../../../../lib/client/client.ts';
import { client } from '../api/client.ts';
import { deleteUser, type User } from '../api/users.ts';
import { dismissAbout, notify, useErrorNotice } from '../notices.tsx';
import { closeUser } from '../route.ts';
import { dropDraft } from './drafts.ts';
import { FormError } from './fields.tsx';

export function DeleteUser({ user }: { user: User }) {
  const { id, name, version } = user;
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const tellIfClosed = useErrorNotice(`${name} was not deleted`, isOpen);
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => deleteUser(user),
    onSuccess: async () => {
      await forgetUser(queryClient, id);
      notify({ message: `Deleted ${name}`, tone: 'done' });
    },
    onError: (failure) => {
      tellIfClosed(failure);
      return queryClient.invalidateQueries({ queryKey: ['user', id] });
    },
  });
  const open = () => {
    // A deletion that is under way goes on.
    if (error) reset();
    setOpen(true);
  };
  return (
    <div>
      <Button variant="light" color="red" onClick={open}>
        Delete user
      </Button>
      <DeleteDialog
        name={name}
        consequence="The posts are deleted, too. The API cannot undo this: a user created again has another id."
        error={
          isChanged(error)
            ? `${error.message}: it is at version ${version} now. Delete again to delete it anyway.`
            : error?.message
        }
        isOpen={isOpen}
        isPending={isPending}
        onClose={() => setOpen(false)}
        onDelete={mutate}
      />
    </div>
  );
}

/** Leaves nothing of a deleted user on the page, even while the change feed is paused. */
export function forgetUser(queryClient: QueryClient, id: string): Promise<void> {
  dropDraft(id);
  closeUser(id);
  dismissAbout(id);
  queryClient.setQueryData(['user', id], null);
  queryClient.removeQueries({ queryKey: ['posts', id] });
  return queryClient.invalidateQueries({ queryKey: ['users'] });
}

type DeletePostProps = { post: Post; isOpen: boolean; onClose: () => void; onDeleted: (id: string) => Promise<void> };

export function DeletePost({ post: { id, title }, isOpen, onClose, onDeleted }: DeletePostProps) {
  const tellIfClosed = useErrorNotice(`“${title}” was not deleted`, isOpen);
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => client.posts.delete(id),
    onSuccess: () => {
      dismissAbout(id);
      return onDeleted(id);
    },
    onError: (failure) => (isNotFound(failure) ? onDeleted(id) : tellIfClosed(failure)),
  });
  return (
    <DeleteDialog
      name={`“${title}”`}
      consequence="The API cannot undo this."
      error={error?.message}
      isOpen={isOpen}
      isPending={isPending}
      onClose={onClose}
      onDelete={mutate}
    />
  );
}

type DialogProps = {
  name: string;
  consequence: string;
  error: string | undefined;
  isOpen: boolean;
  isPending: boolean;
  onClose: () => void;
  onDelete: () => void;
};

const DeleteDialog = ({ name, consequence, error, isOpen, isPending, onClose, onDelete }: DialogProps) => (
  <Modal opened={isOpen} onClose={onClose} title={`Delete ${name}?`} centered>
    <Stack gap="md">
      <Text>{consequence}</Text>
      <FormError message={error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          Keep
        </Button>
        <Button color="red" loading={isPending} onClick={() => onDelete()}>
          Delete
        </Button>
      </Group>
    </Stack>
  </Modal>
);
