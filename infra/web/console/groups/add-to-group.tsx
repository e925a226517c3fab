import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import type { User } from '../api/users.ts';
import { formatCount } from '../format.ts';
import { listRoles } from '../own-fields.ts';
import { editUsers } from '../users/selection/bulk-edit.ts';
import { RoleSelect } from './role-select.tsx';
import { type Choice, GroupSelect } from './search-select.tsx';

type Props = {
  field: OwnField;
  users: readonly User[];
  onChanged: (users: ReadonlyMap<string, User>) => void;
  onClose: () => void;
};

export function AddToGroup({ field, users, onChanged, onClose }: Props) {
  const [group, setGroup] = useState<Choice | null>(null);
  const [role, setRole] = useState(listRoles()[0] ?? '');
  const [error, setError] = useState<string>();
  const count = formatCount(users.length, 'user');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!group) return setError('Choose a group');
    editUsers(users, { field, action: 'add', value: [{ id: group.value, role }] }, onChanged);
    onClose();
  };
  return (
    <Modal opened onClose={onClose} title={`Add ${count} to a group`} centered>
      <form onSubmit={submit} noValidate>
        <Stack>
          <GroupSelect label="Group" autoFocus chosen={group} error={error} onChoose={setGroup} />
          <RoleSelect label="Role" value={role} onChoose={setRole} />
          <Text size="sm" c="dimmed">
            Users who are members keep their role. You can undo this for 10 seconds.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit">Add {count}</Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
