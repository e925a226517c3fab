import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { deletePost, type Post } from '../api/posts.ts';
import { dismissAbout } from '../notices.ts';
import { FormError } from './user-fields.tsx';

type Props = { post: Post; isOpen: boolean; onClose: () => void; onDeleted: () => Promise<void> };

export function DeletePost({ post: { id, title }, isOpen, onClose, onDeleted }: Props) {
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => deletePost(id),
    onSuccess: () => {
      dismissAbout(id);
      return onDeleted();
    },
  });
  return (
    <Modal opened={isOpen} onClose={onClose} title={`Delete “${title}”?`} centered>
      <Stack gap="md">
        <Text>The API cannot undo this.</Text>
        <FormError message={error?.message} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Keep
          </Button>
          <Button color="red" loading={isPending} onClick={() => mutate()}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
