import { Button, CloseButton, Group, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { OwnField } from '../../../../../lib/users/fields/declaration.ts';
import type { User, UserList } from '../../api/users.ts';
import { useCanWrite } from '../../auth/token.ts';
import { useCopy } from '../../copy-text.tsx';
import { CsvChoice } from '../../export/csv-choice.tsx';
import { exportSelected } from '../../export/export.ts';
import type { Format } from '../../export/user-file.ts';
import { useRestoredFocus, usersTitle } from '../../focus.ts';
import { lazyPart, MissingDialog } from '../../lazy-part.tsx';
import { notifyFailure } from '../../notices.tsx';
import { findMembershipField, ownFields } from '../../own-fields.ts';
import { navigate, useRoute } from '../../route.ts';
import { dependsOn, findConditions, isNarrowed } from '../filter.ts';
import { readOrder } from '../order.ts';
import { DeleteSelected } from './delete-selected.tsx';
import { MAX_SELECTED, type Selection } from './use-selection.ts';

/** `count`: users on all pages. */
type Props = { selection: Selection; list: UserList; count: number | undefined };

export function SelectionBar({ selection, list, count }: Props) {
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
      // Above the sticky header, which would cover the menu.
      style={{ zIndex: 4, borderTop: '1px solid var(--edge)' }}
    >
      <Group gap="xs" wrap="nowrap">
        <CloseButton aria-label="Clear the selection" onClick={selection.clearSelection} />
        <Text fw={550} role="status">
          {users.length.toLocaleString('en')} selected
          {!list.users.some(({ id }) => selection.isSelected(id)) && ', none on this page'}
        </Text>
        <SelectMore selection={selection} list={list} count={count} />
      </Group>
      {/* Until all users are selected: a dialog must not change its users. */}
      <fieldset disabled={selection.read !== undefined} style={{ display: 'contents' }}>
        <Group gap="xs">
          <CopyIds users={users} />
          {users.length === 2 && (
            <Button
              size="xs"
              variant="default"
              onClick={() => navigate({ compare: users.map(({ id }) => id).join(',') })}
            >
              {canWrite ? 'Compare or merge' : 'Compare'}
            </Button>
          )}
          <ExportMenu users={users} />
          {canWrite && <EditButton selection={selection} />}
          {canWrite && <AddToGroupButton selection={selection} />}
          {canWrite && <DeleteSelected users={users} onDeleted={selection.forget} />}
        </Group>
      </fieldset>
    </Group>
  );
}

function CopyIds({ users }: { users: readonly User[] }) {
  const { copied, copy } = useCopy('the ids');
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconCopy size={15} />}
      onClick={() => copy(users.map(({ id }) => id).join('\n'))}
    >
      {copied ? 'Copied' : 'Copy ids'}
    </Button>
  );
}

function SelectMore({ selection, list, count }: Props) {
  const route = useRoute();
  const { users, read } = selection;
  if (read !== undefined)
    return (
      <Button variant="subtle" size="compact-sm" onClick={selection.clearSelection}>
        Reading, {read.toLocaleString('en')} so far: cancel
      </Button>
    );
  const shown = list.users.length;
  if (list.users.some(({ id }) => !selection.isSelected(id)))
    return (
      <Button variant="subtle" size="compact-sm" onClick={selection.selectAll}>
        Select all {shown}
      </Button>
    );
  // Numbered pages have no cursor `next`.
  const hasOthers = list.next !== undefined || route.after !== undefined || (count ?? 0) > shown;
  if (!hasOthers || users.length > shown) return null;
  const noun = isNarrowed(route) ? 'matches' : 'users';
  const start = () =>
    selection
      .selectMatches(findConditions(route) ?? { filter: {}, order: readOrder(route) })
      .catch((error: Error) => notifyFailure('The users to select cannot be read', error));
  return (
    <Button variant="subtle" size="compact-sm" onClick={start}>
      {count !== undefined && count > MAX_SELECTED
        ? `Select the first ${MAX_SELECTED.toLocaleString('en')} ${noun}`
        : `Select all ${count === undefined ? '' : `${count.toLocaleString('en')} `}${noun}`}
    </Button>
  );
}

/** A button that opens a dialog. */
function DialogButton({ label, render }: { label: string; render: (onClose: () => void) => ReactNode }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button size="xs" variant="default" onClick={open}>
        {label}
      </Button>
      {isOpen && render(close)}
    </>
  );
}

const EditDialog = lazyPart(async () => (await import('./edit-dialog.tsx')).EditDialog, MissingDialog);

function EditButton({ selection }: { selection: Selection }) {
  const conditions = findConditions(useRoute());
  // Otherwise, a later click on Delete would delete users that the list no longer shows.
  const change = (users: ReadonlyMap<string, User>, field: OwnField) =>
    dependsOn(conditions, field) ? selection.forget(new Set(users.keys())) : selection.update(users);
  if (ownFields.get().every(({ type }) => type === 'membership')) return null;
  return (
    <DialogButton
      label="Edit field…"
      render={(close) => <EditDialog users={selection.users} onChanged={change} onClose={close} />}
    />
  );
}

const AddToGroup = lazyPart(async () => (await import('../../groups/add-to-group.tsx')).AddToGroup, MissingDialog);

function AddToGroupButton({ selection: { users, update } }: { selection: Selection }) {
  const field = findMembershipField();
  if (!field) return null;
  return (
    <DialogButton
      label="Add to group…"
      render={(close) => <AddToGroup field={field} users={users} onChanged={update} onClose={close} />}
    />
  );
}

function ExportMenu({ users }: { users: User[] }) {
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
        <CsvChoice />
      </Menu.Dropdown>
    </Menu>
  );
}
