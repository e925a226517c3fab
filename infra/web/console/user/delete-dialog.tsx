import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { FormError } from './user-fields.tsx';

type Props = {
  name: string;
  consequence: string;
  error: string | undefined;
  isOpen: boolean;
  isPending: boolean;
  onClose: () => void;
  onDelete: () => void;
};

export const DeleteDialog = ({ name, consequence, error, isOpen, isPending, onClose, onDelete }: Props) => (
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
