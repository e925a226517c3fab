import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isVersionMismatch } from '../api/errors.ts';
import type { User } from '../api/user-details.ts';
import { deleteUser } from '../api/users.ts';
import { notify } from '../notices.ts';
import { useErrorNotice } from '../use-error-notice.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { forgetUser } from './forget-user.ts';

export function DeleteUser({ user: { id, name, version } }: { user: User }) {
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const tellIfClosed = useErrorNotice(`${name} was not deleted`, isOpen);
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: () => deleteUser(id, version),
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
          isVersionMismatch(error)
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
