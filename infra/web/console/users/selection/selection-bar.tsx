import { Button, CloseButton, CopyButton, Group, Menu, Text } from '@mantine/core';
import { IconChevronDown, IconCopy } from '@tabler/icons-react';
import type { ListedUser } from '../../api/users.ts';
import { useCanWrite } from '../../auth/token.ts';
import { exportSelected } from '../../export/export.ts';
import type { Format } from '../../export/user-file.ts';
import { useRestoredFocus, usersTitle } from '../../focus.ts';
import { navigate } from '../../route.ts';
import { DeleteSelected } from './delete-selected.tsx';
import type { Selection } from './use-selection.ts';

/** Shows how many users are selected, and what can be done with them. It scrolls with the list, and covers none of it. */
export function SelectionBar({ selection, shown }: { selection: Selection; shown: number }) {
  const { users } = selection;
  const canWrite = useCanWrite();
  useRestoredFocus(usersTitle);
  return (
    <Group
      component="section"
      aria-label="Selected users"
      justify="space-between"
      gap="xs"
      px="sm"
      py="xs"
      bg="var(--surface)"
      pos="sticky"
      bottom={0}
      left={0}
      style={{ zIndex: 2, borderTop: '1px solid var(--edge)' }}
    >
      <Group gap="xs" wrap="nowrap">
        <CloseButton aria-label="Select nobody" onClick={selection.selectNobody} />
        <Text fw={550} role="status">
          {users.length} selected
        </Text>
        {users.length < shown && (
          <Button variant="subtle" size="compact-sm" onClick={selection.selectAll}>
            Select all {shown}
          </Button>
        )}
      </Group>
      <Group gap="xs">
        <CopyButton value={users.map(({ id }) => id).join('\n')}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" leftSection={<IconCopy size={15} />} onClick={copy}>
              {copied ? 'Copied' : 'Copy ids'}
            </Button>
          )}
        </CopyButton>
        {users.length === 2 && (
          <Button
            size="xs"
            variant="default"
            onClick={() => navigate({ compare: users.map(({ id }) => id).join(',') })}
          >
            Compare
          </Button>
        )}
        <ExportMenu users={users} />
        {canWrite && <DeleteSelected users={users} />}
      </Group>
    </Group>
  );
}

function ExportMenu({ users }: { users: ListedUser[] }) {
  const start = (format: Format) =>
    exportSelected(
      users.map(({ id }) => id),
      format,
    );
  return (
    <Menu position="top-end">
      <Menu.Target>
        <Button size="xs" variant="default" rightSection={<IconChevronDown size={15} />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => start('csv')}>CSV, for spreadsheets</Menu.Item>
        <Menu.Item onClick={() => start('ndjson')}>NDJSON, exact</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
