import { Alert, Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Address } from '../../address.tsx';
import { type Deletion, deleteUsers } from '../../api/selected-users.ts';
import type { ListedUser } from '../../api/users.ts';
import { formatCount } from '../../format.ts';
import { notify, useErrorNotice } from '../../notices.tsx';
import { forgetUser } from '../../user/delete-user.tsx';
import { FormError } from '../../user/fields.tsx';
import type { Selection } from './use-selection.ts';

/** The dialog names so many users. */
const MAX_NAMES = 8;

/** Asks with the users as they are listed at that time. Those who were not deleted stay selected, with the reasons in the dialog. */
export function DeleteSelected({ selection }: { selection: Selection }) {
  const queryClient = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const [users, setUsers] = useState<ListedUser[]>([]);
  const count = formatCount(users.length, 'user');
  const { mutate, data, error, isPending, reset } = useMutation({
    mutationFn: () => deleteUsers(users),
    onSuccess: async ({ deleted, failed }) => {
      if (failed.length > 0) setUsers(failed.map(({ user }) => user));
      else setOpen(false);
      await Promise.all(deleted.map((id) => forgetUser(queryClient, id)));
      if (deleted.length > 0) notify({ message: `Deleted ${formatCount(deleted.length, 'user')}`, tone: 'done' });
    },
    onError: useErrorNotice({ message: 'The users were not all deleted', isOpen }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['users'] }),
  });
  const open = () => {
    setOpen(true);
    // A deletion that is under way goes on.
    if (isPending) return;
    reset();
    setUsers(selection.users);
  };
  return (
    <>
      <Button size="xs" variant="light" color="red" onClick={open}>
        Delete
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Delete ${count}?`} centered>
        <Stack gap="md">
          {data && data.failed.length > 0 ? <Failures failed={data.failed} /> : <Names users={users} />}
          <Text>The posts are deleted, too. The API cannot undo this: a user created again has another id.</Text>
          <FormError message={error?.message} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpen(false)} data-autofocus>
              Keep
            </Button>
            <Button color="red" loading={isPending} onClick={() => mutate()}>
              Delete {count}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function Names({ users }: { users: ListedUser[] }) {
  const names = users.slice(0, MAX_NAMES);
  return (
    <List size="sm" className="selection-names">
      {names.map(({ id, name, email }) => (
        <List.Item key={id}>
          <bdi>{name}</bdi>{' '}
          <Text span size="sm" c="dimmed">
            <Address value={email} />
          </Text>
        </List.Item>
      ))}
      {users.length > names.length && <List.Item>and {users.length - names.length} more</List.Item>}
    </List>
  );
}

const Failures = ({ failed }: Pick<Deletion, 'failed'>) => (
  <Alert color="red" variant="light" role="alert" title={`${formatCount(failed.length, 'user')} not deleted`}>
    <List size="sm" className="selection-names">
      {failed.map(({ user: { id, name }, reason }) => (
        <List.Item key={id}>
          <bdi>{name}</bdi>: {reason}
        </List.Item>
      ))}
    </List>
    <Text size="sm" mt="xs">
      Delete again to delete them as they are now.
    </Text>
  </Alert>
);
