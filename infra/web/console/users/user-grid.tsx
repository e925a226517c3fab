import { Badge, Skeleton, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type CSSProperties, Fragment, type KeyboardEvent, type MouseEvent, useRef } from 'react';
import { parseUuidTime } from '../../../../lib/input/uuidv7.ts';
import { Address } from '../address.tsx';
import { readUsers } from '../api/selected-users.ts';
import type { ListedUser } from '../api/users.ts';
import { focusFirst, usePassedFocus } from '../focus.ts';
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
  const columns = useShownColumns();
  const [density] = useDensity();
  const details = useDetails(users, readAt, columns);
  const { onMouseDown, isTextSelected } = useTextSelection();
  const others = columns.filter(({ name }) => name !== 'createdAt' && name !== 'id').length;
  return (
    <table
      className="grid"
      data-stale={isStale || undefined}
      data-density={density}
      data-own={others > 0 || undefined}
      style={{ '--own-columns': others } as CSSProperties}
      onMouseDown={onMouseDown}
      onKeyDown={(event) => {
        moveFocus(event);
        selectByKey(selection, event);
      }}
    >
      <thead>
        <tr>
          <SelectAllCell selection={selection} shown={users.length} />
          <th className="column-name">Name</th>
          <th className="column-email">Email</th>
          {columns.map((column) => (
            <th key={column.name} className={classifyColumn(column)}>
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {users.map((user) => (
          <tr
            key={user.id}
            aria-current={user.id === openId || undefined}
            data-user={user.id}
            data-selected={selection.isSelected(user.id) || undefined}
            onClick={(event) => {
              if (!selectByClick(selection, user.id, event) && !isTextSelected()) navigate({ user: user.id });
            }}
          >
            <SelectCell selection={selection} user={user} />
            <td className="column-name">
              <UserLink user={user} columns={columns} />
            </td>
            <td className="column-email">
              <span className="clamped">
                <Address value={user.email} />
              </span>
            </td>
            {columns.map((column) => (
              <td key={column.name} className={classifyColumn(column)}>
                <Cell column={column} user={{ ...details.get(user.id), ...user }} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
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

const classifyColumn = ({ name, field }: Column): string => (field ? 'column-own' : `column-${name}`);

function Cell({ column: { name, field }, user }: { column: Column; user: ListedUser }) {
  if (name === 'createdAt') return <Age time={new Date(parseUuidTime(user.id))} />;
  if (name === 'id') return <code>{user.id}</code>;
  const value = user[name] ?? null;
  if ((name === 'updatedAt' || field?.type === 'dateTime') && typeof value === 'string')
    return <Age time={new Date(value)} />;
  return <bdi className="clamped">{formatValue(field, value)}</bdi>;
}

const Age = ({ time }: { time: Date }) => (
  <time dateTime={time.toISOString()} title={formatTime(time)}>
    {formatAge(time)}
  </time>
);

function UserLink({ user, columns }: { user: ListedUser; columns: Column[] }) {
  const { id, name, email } = user;
  const isUnsaved = useDraft(id) !== undefined;
  const link = usePassedFocus<HTMLAnchorElement>('.toolbar-new');
  const open = (event: MouseEvent) => {
    event.stopPropagation();
    // The browser opens a new tab or window.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate({ user: id });
  };
  return (
    <>
      <a ref={link} className="user-link clamped" href={linkTo({ user: id })} onClick={open}>
        <bdi>{name}</bdi>
      </a>
      {isUnsaved && (
        <Badge variant="default" size="sm" ml="xs">
          Unsaved
        </Badge>
      )}
      <Text size="sm" c="dimmed" className="user-email clamped">
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
    <Text size="sm" c="dimmed" className="user-fields">
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

/** The arrow keys move between the users, or between their checkboxes. */
function moveFocus(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  for (const column of ['.user-link', 'td [type="checkbox"]']) {
    const targets = [...event.currentTarget.querySelectorAll<HTMLElement>(column)];
    const index = targets.findIndex((target) => target.matches(':focus'));
    if (index < 0) continue;
    event.preventDefault();
    // The search is above the first user.
    if (index + step < 0) focusFirst('#search');
    targets[index + step]?.focus();
  }
}

const PLACEHOLDERS = Array.from({ length: 12 }, (_, index) => ({ key: index, width: 30 + ((index * 37) % 45) }));

export const UserGridSkeleton = () => (
  <div className="grid-skeleton" role="status" aria-label="Loading users">
    {PLACEHOLDERS.map(({ key, width }) => (
      <Skeleton key={key} height={14} width={`${width}%`} />
    ))}
  </div>
);
