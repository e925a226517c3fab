import { Anchor, Badge, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type CSSProperties, Fragment, type KeyboardEvent, type MouseEvent, useRef } from 'react';
import { parseUuidTime } from '../../../../lib/input/uuidv7.ts';
import { Address } from '../address.tsx';
import { readUsers } from '../api/selected-users.ts';
import type { ListedUser } from '../api/users.ts';
import { focusFirst, newUserButton, searchField, usePassedFocus, userLinkId, userTable } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { formatValue } from '../own-fields.ts';
import { linkTo, navigate } from '../route.ts';
import { useDraft } from '../user/drafts.ts';
import { type Column, useDensity, useShownColumns } from './columns.ts';
import { SelectAllCell, SelectCell, selectByClick, selectByKey } from './selection/checkboxes.tsx';
import type { Selection } from './selection/use-selection.ts';

/** `readAt` is the time when the list was read. */
type Props = {
  users: ListedUser[];
  readAt: number;
  openId: string | undefined;
  isStale: boolean;
  selection: Selection;
};

export function UserGrid({ users, readAt, openId, isStale, selection }: Props) {
  const shown = useShownColumns();
  // An open user leaves no room for ids.
  const columns = openId === undefined ? shown : shown.filter(({ name }) => name !== 'id');
  const [density] = useDensity();
  const details = useDetails(users, readAt, columns);
  const { onMouseDown, isTextSelected } = useTextSelection();
  const hasOthers = columns.some(({ name }) => name !== 'createdAt' && name !== 'id');
  const width = columns.reduce((sum, column) => sum + readWidth(column), 0);
  return (
    <Table
      ref={userTable}
      className="grid"
      layout="fixed"
      stickyHeader
      highlightOnHover
      highlightOnHoverColor="light-dark(#f1f3f5, #2a2e35)"
      borderColor="var(--edge)"
      horizontalSpacing={10}
      verticalSpacing={density === 'compact' ? 2 : 7}
      data-stale={isStale || undefined}
      // Many columns make the list wider than its area.
      data-wide={hasOthers || undefined}
      style={{ '--width': `${33 + width}rem` } as CSSProperties}
      onMouseDown={onMouseDown}
      onKeyDown={(event) => {
        moveFocus(event);
        selectByKey(selection, event);
      }}
    >
      <Table.Thead c="dimmed" fz={13}>
        <Table.Tr>
          <SelectAllCell selection={selection} shown={users.length} />
          <Table.Th className="column-name">Name</Table.Th>
          <Table.Th visibleFrom="sm">Email</Table.Th>
          {columns.map((column) => (
            <Table.Th key={column.name} {...placeColumn(column)} w={`${readWidth(column)}rem`}>
              {column.label}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {users.map((user) => (
          <Table.Tr
            key={user.id}
            aria-current={user.id === openId || undefined}
            data-user={user.id}
            data-selected={selection.isSelected(user.id) || undefined}
            onClick={(event) => {
              if (!selectByClick(selection, user.id, event) && !isTextSelected()) navigate({ user: user.id });
            }}
          >
            <SelectCell selection={selection} user={user} />
            <Table.Td className="column-name">
              <UserLink user={user} columns={columns} />
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Text size="sm" truncate>
                <Address value={user.email} />
              </Text>
            </Table.Td>
            {columns.map((column) => (
              <Table.Td key={column.name} {...placeColumn(column)}>
                <Cell column={column} user={{ ...details.get(user.id), ...user }} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

const WIDTHS: Record<string, number> = { createdAt: 7.5, version: 6, id: 21 };

/** In rem. */
const readWidth = ({ name }: Column): number => WIDTHS[name] ?? 9;

/** A phone has room for the age only; ids need a wide screen. */
function placeColumn({ name }: Column) {
  if (name === 'createdAt') return { className: 'column-createdAt' };
  return { visibleFrom: name === 'id' ? 'xl' : 'sm' };
}

/** Returns a function that tells whether text was selected between pressing the button and releasing it, such as to copy it. */
function useTextSelection(): { onMouseDown: () => void; isTextSelected: () => boolean } {
  const before = useRef('');
  const read = () => getSelection()?.toString() ?? '';
  return {
    onMouseDown: () => {
      before.current = read();
    },
    isTextSelected: () => read() !== '' && read() !== before.current,
  };
}

/** Lists tell neither the version nor the time of the last change: they are read in addition if they are shown. */
function useDetails(users: ListedUser[], readAt: number, columns: Column[]): ReadonlyMap<string, ListedUser> {
  const ids = users.map(({ id }) => id);
  const { data = [] } = useQuery({
    queryKey: ['details', ids, readAt],
    queryFn: () => readUsers(ids),
    enabled: columns.some(({ name }) => name === 'updatedAt' || name === 'version'),
    placeholderData: keepPreviousData,
  });
  return new Map(data.map((user) => [user.id, user]));
}

function Cell({ column: { name, field }, user }: { column: Column; user: ListedUser }) {
  if (name === 'createdAt') return <Age time={new Date(parseUuidTime(user.id))} />;
  if (name === 'id')
    return (
      <Text component="code" c="dimmed" fz={13} ff="monospace">
        {user.id}
      </Text>
    );
  const value = user[name] ?? null;
  if ((name === 'updatedAt' || field?.type === 'dateTime') && typeof value === 'string')
    return <Age time={new Date(value)} />;
  return (
    <Text component="bdi" size="sm" truncate display="block">
      {formatValue(field, value)}
    </Text>
  );
}

const Age = ({ time }: { time: Date }) => (
  <time dateTime={time.toISOString()} title={formatTime(time)}>
    {formatAge(time)}
  </time>
);

function UserLink({ user, columns }: { user: ListedUser; columns: Column[] }) {
  const { id, name, email } = user;
  const isUnsaved = useDraft(id) !== undefined;
  const link = usePassedFocus(newUserButton);
  const open = (event: MouseEvent) => {
    event.stopPropagation();
    // The browser opens a new tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate({ user: id });
  };
  return (
    <>
      <Group gap="xs" wrap="nowrap">
        <Anchor
          ref={link}
          id={userLinkId(id)}
          href={linkTo({ user: id })}
          onClick={open}
          size="sm"
          fw={550}
          c="inherit"
          truncate
        >
          <bdi>{name}</bdi>
        </Anchor>
        {isUnsaved && (
          <Badge variant="default" size="sm" flex="none">
            Unsaved
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed" className="user-email" hiddenFrom="sm" truncate>
        <Address value={email} />
      </Text>
      <NarrowValues user={user} columns={columns} />
    </>
  );
}

/** Narrow screens have no room for more columns. */
function NarrowValues({ user, columns }: { user: ListedUser; columns: Column[] }) {
  const values = columns.flatMap(({ field, name, label }) => {
    const text = field && formatValue(field, user[name]);
    // A label stays on its line.
    return text ? [{ name, label: `${label.replaceAll(' ', '\u00a0')}:\u00a0`, text }] : [];
  });
  return (
    <Text size="sm" c="dimmed" hiddenFrom="sm">
      {values.map(({ name, label, text }, at) => (
        <Fragment key={name}>
          {at > 0 && ' · '}
          {label}
          <bdi>{text}</bdi>
        </Fragment>
      ))}
    </Text>
  );
}

/** The arrow keys move between the users, or between their checkboxes, which no table of a library does. */
function moveFocus(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  for (const column of ['a', 'td [type="checkbox"]']) {
    const targets = [...event.currentTarget.querySelectorAll<HTMLElement>(column)];
    const index = targets.findIndex((target) => target.matches(':focus'));
    if (index < 0) continue;
    event.preventDefault();
    // The search is above the first user.
    if (index + step < 0) focusFirst(searchField);
    targets[index + step]?.focus();
  }
}

const PLACEHOLDERS = Array.from({ length: 12 }, (_, index) => ({ key: index, width: 30 + ((index * 37) % 45) }));

export const UserGridSkeleton = () => (
  <Stack gap="xl" px="md" py="xl" role="status" aria-label="Loading users">
    {PLACEHOLDERS.map(({ key, width }) => (
      <Skeleton key={key} height={14} width={`${width}%`} />
    ))}
  </Stack>
);
