import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { type Deletion, prepareDeletion } from '../../api/selected-users.ts';
import type { ListedUser } from '../../api/users.ts';
import { deleteLater } from '../../deletions.ts';
import { formatCount } from '../../format.ts';
import { forgetUser } from '../../user/delete-user.tsx';

/** A notice names so many users who were not deleted. */
const MAX_NAMES = 5;

/** More users are only deleted after a confirmation: a whole page is selected with one click. */
const MAX_UNCONFIRMED = 10;

/** Deletes as one user is deleted, with an undo. Those who cannot be deleted are shown again, and are selected still. */
export function DeleteSelected({ users }: { users: ListedUser[] }) {
  const queryClient = useQueryClient();
  const [isAsking, { open: ask, close: cancel }] = useDisclosure();
  const count = formatCount(users.length, 'user');
  const start = () => {
    const [first] = users;
    const name = first && users.length === 1 ? first.name : count;
    const deleteUsers = prepareDeletion(users);
    deleteLater({
      ids: users.map(({ id }) => id),
      name,
      ...(users.length === 1 ? {} : { problem: `Of ${name}, some were not deleted` }),
      send: async () => {
        const { deleted, failed } = await deleteUsers();
        await Promise.all(deleted.map((id) => forgetUser(queryClient, id)));
        if (failed.length > 0) throw new Error(describe(failed));
      },
      onFailed: () => queryClient.invalidateQueries({ queryKey: ['users'] }),
    });
  };
  return (
    <>
      <Button size="xs" variant="light" color="red" onClick={users.length > MAX_UNCONFIRMED ? ask : start}>
        Delete
      </Button>
      <Modal opened={isAsking} onClose={cancel} title={`Delete ${count}?`} centered>
        <Stack>
          <Text size="sm">Their posts are deleted, too. You can undo this for 10 seconds.</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel}>
              Cancel
            </Button>
            <Button color="red" onClick={start}>
              Delete {count}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

function describe(failed: Deletion['failed']): string {
  const named = failed.slice(0, MAX_NAMES).map(({ user: { name }, reason }) => `${name}: ${reason}`);
  const others = failed.length - named.length;
  return [...named, ...(others > 0 ? [`and ${others} more`] : [])].join('; ');
}
