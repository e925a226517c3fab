import { Checkbox, Skeleton, Stack, Table, type TableThProps, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { type KeyboardEvent, useRef } from 'react';
import { Address } from '../address.tsx';
import type { User } from '../api/users.ts';
import { focusFirst, searchField, userTable } from '../focus.ts';
import { navigate, showList, useRoute } from '../route.ts';
import { type Column, useDensity, useShownColumns } from './columns.ts';
import { findConditions } from './filter.ts';
import { findColumnOrder } from './order.ts';
import type { Selection } from './selection/use-selection.ts';
import { NameCell, ValueCell } from './user-cells.tsx';
import classes from './user-grid.module.css';

type Props = { users: User[]; isStale: boolean; isDown: boolean; selection: Selection };

export function UserGrid({ users, isStale, isDown, selection }: Props) {
  const { user: openId } = useRoute();
  const shown = useShownColumns();
  // Hides the ids while a user is open: the list is narrower.
  const columns = openId === undefined ? shown : shown.filter(({ name }) => name !== 'id');
  const [density] = useDensity();
  const hasOthers = columns.some(({ name }) => name !== 'createdAt' && name !== 'id');
  const measure = (shown: Column[]) => `${shown.reduce((sum, { width }) => sum + width, 33)}rem`;
  const selectedText = useRef('');
  const count = selection.users.length;
  const shownCount = users.filter(({ id }) => selection.isSelected(id)).length;
  return (
    <Table
      ref={userTable}
      className={hasOthers ? `${classes.grid} ${classes.wide}` : classes.grid}
      layout="fixed"
      stickyHeader
      withRowBorders={false}
      horizontalSpacing={10}
      verticalSpacing={density === 'compact' ? 2 : 7}
      miw={
        hasOthers
          ? { sm: measure(columns.filter(({ visibleFrom }) => visibleFrom === 'sm')), xl: measure(columns) }
          : undefined
      }
      data-outdated={isDown || undefined}
      opacity={isStale && !isDown ? 0.55 : 1}
      style={{ transition: 'opacity 100ms 250ms' }}
      onMouseDown={() => {
        selectedText.current = readSelectedText();
      }}
      onKeyDown={(event) => {
        moveFocus(event);
        if (event.key !== 'Escape' || count === 0) return;
        // Escape would also close the open user.
        event.stopPropagation();
        selection.clearSelection();
      }}
    >
      <Table.Thead c="dimmed" fz={13} visibleFrom="sm">
        <Table.Tr bg="var(--surface)">
          <Table.Th className={classes.select}>
            <Checkbox
              aria-label="Select all users of this page"
              checked={shownCount === users.length}
              indeterminate={shownCount > 0 && shownCount < users.length}
              onChange={shownCount < users.length ? selection.selectAll : selection.clearSelection}
            />
          </Table.Th>
          <Header className={classes.name} column="name" label="Name" />
          <Table.Th>Email</Table.Th>
          {columns.map(({ name, label, width, visibleFrom }) => (
            <Header key={name} column={name} label={label} visibleFrom={visibleFrom} w={`${width}rem`} />
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {users.map((user) => (
          <UserRow
            key={user.id}
            user={user}
            columns={columns}
            isOpen={user.id === openId}
            selection={selection}
            // The click opens no user if it has selected text in the row.
            onOpen={() => ['', selectedText.current].includes(readSelectedText()) && navigate({ user: user.id })}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

type HeaderProps = { column: string; label: string } & TableThProps;

function Header({ column, label, ...cell }: HeaderProps) {
  const route = useRoute();
  const { direction, next } = findColumnOrder(column, route, findConditions(route));
  const Icon = { asc: IconArrowUp, desc: IconArrowDown, none: IconArrowsSort }[direction ?? 'none'];
  return (
    <Table.Th {...cell} aria-sort={direction && ARIA_SORT[direction]}>
      {next ? (
        <UnstyledButton className={classes.sort} data-sorted={direction} onClick={() => showList(next)}>
          {label}
          <Icon size={14} aria-hidden="true" />
        </UnstyledButton>
      ) : (
        label
      )}
    </Table.Th>
  );
}

const ARIA_SORT = { asc: 'ascending', desc: 'descending' } as const;

const readSelectedText = () => getSelection()?.toString() ?? '';

type RowProps = {
  user: User;
  columns: Column[];
  isOpen: boolean;
  selection: Selection;
  onOpen: () => void;
};

/** Uses no components of Mantine: they would double the time until the first list is shown. */
function UserRow({ user, columns, isOpen, selection, onOpen }: RowProps) {
  const isSelected = selection.isSelected(user.id);
  const select = (event: { shiftKey: boolean }) => selection.toggle(user.id, event);
  return (
    <tr
      className={classes.row}
      aria-current={isOpen || undefined}
      data-selected={isSelected || undefined}
      onClick={(event) => {
        // A click with a modifier key selects the user, as in a file manager.
        if (!event.shiftKey && !event.ctrlKey && !event.metaKey) return onOpen();
        // Clears the text selection that Shift-click has made.
        getSelection()?.removeAllRanges();
        select(event);
      }}
    >
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the checkbox takes keys */}
      <td
        className={classes.select}
        onClick={(event) => {
          event.stopPropagation();
          select(event);
        }}
      >
        {/* A change event does not contain the Shift key. */}
        <input
          type="checkbox"
          className={classes.checkbox}
          aria-label={`Select ${user.name}`}
          checked={isSelected}
          onChange={() => {}}
        />
      </td>
      <td className={classes.name}>
        <NameCell user={user} columns={columns} onSelect={select} />
      </td>
      <td className={classes.value} data-from="sm">
        <Address value={user.email} />
      </td>
      {columns.map((column) => (
        <td key={column.name} className={classes.value} data-from={column.visibleFrom}>
          <ValueCell column={column} user={user} />
        </td>
      ))}
    </tr>
  );
}

function moveFocus(event: KeyboardEvent<HTMLTableElement>): void {
  const cell = (event.target as Element).closest('td');
  const row = cell?.parentElement;
  const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling }[event.key];
  if (!cell || next === undefined) return;
  event.preventDefault();
  if (next) next.children[cell.cellIndex]?.querySelector<HTMLElement>('a, input')?.focus();
  else if (event.key === 'ArrowUp') focusFirst(searchField);
}

const SKELETON_WIDTHS = [30, 67, 59, 51, 43, 72, 35, 64, 56, 48];

export const UserGridSkeleton = () => (
  <Stack gap="xl" px="md" py="xl" role="status" aria-label="Loading users">
    {SKELETON_WIDTHS.map((width) => (
      <Skeleton key={width} height={14} width={`${width}%`} />
    ))}
  </Stack>
);
