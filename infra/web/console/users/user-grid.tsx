import { Badge, Skeleton, Table, Text } from '@mantine/core';
import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { type CSSProperties, type KeyboardEvent, type MouseEvent, useMemo } from 'react';
import type { OwnField } from '../../../../lib/users/own-fields/declaration.ts';
import { parseUuidTime } from '../../../../lib/uuidv7.ts';
import type { ListedUser } from '../api/users.ts';
import { usePassedFocus } from '../focus.ts';
import { formatAge, formatTime } from '../format.ts';
import { formatValue, labelMember, type Value } from '../own-fields.ts';
import { linkTo, navigate } from '../route.ts';
import { useDraft } from '../user/drafts.ts';
import { useShownFields } from './columns.tsx';
import { SelectAllCell, SelectCell, selectByClick, selectByKey } from './selection/checkboxes.tsx';
import type { Selection } from './selection/use-selection.ts';

const features = tableFeatures({});
const helper = createColumnHelper<typeof features, ListedUser>();

const createColumns = (fields: OwnField[]) =>
  helper.columns([
    helper.accessor('name', { header: 'Name', cell: ({ row }) => <UserLink user={row.original} fields={fields} /> }),
    helper.accessor('email', {
      header: 'Email',
      cell: ({ getValue }) => <span className="clamped">{getValue()}</span>,
    }),
    ...fields.map((field) =>
      helper.accessor((user): Value => user[field.name] ?? null, {
        id: `own-${field.name}`,
        header: labelMember(field.name),
        cell: ({ getValue }) => <OwnValue field={field} value={getValue()} />,
      }),
    ),
    helper.accessor(({ id }) => new Date(parseUuidTime(id)), {
      id: 'created',
      header: 'Created',
      cell: ({ getValue }) => <Age time={getValue()} />,
    }),
    helper.accessor('id', { header: 'Id', cell: ({ getValue }) => <code>{getValue()}</code> }),
  ]);

const OwnValue = ({ field, value }: { field: OwnField; value: Value }) =>
  field.type === 'dateTime' && typeof value === 'string' ? (
    <Age time={new Date(value)} />
  ) : (
    <span className="clamped">{formatValue(field, value)}</span>
  );

const Age = ({ time }: { time: Date }) => (
  <time dateTime={time.toISOString()} title={formatTime(time)}>
    {formatAge(time)}
  </time>
);

type Props = { users: ListedUser[]; openId: string | undefined; isStale: boolean; selection: Selection };

export function UserGrid({ users, openId, isStale, selection }: Props) {
  const fields = useShownFields();
  const shown = fields.map(({ name }) => name).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other fields have other names
  const columns = useMemo(() => createColumns(fields), [shown]);
  const table = useTable({ features, columns, data: users, getRowId: ({ id }) => id });
  return (
    <Table
      className="grid"
      layout="fixed"
      highlightOnHover
      stickyHeader
      data-stale={isStale || undefined}
      data-own={fields.length > 0 || undefined}
      style={{ '--own-columns': fields.length } as CSSProperties}
      onKeyDown={(event) => {
        moveFocus(event);
        selectByKey(selection, event);
      }}
    >
      <Table.Thead>
        {table.getHeaderGroups().map((group) => (
          <Table.Tr key={group.id}>
            <SelectAllCell selection={selection} shown={users.length} />
            {group.headers.map((header) => (
              <Table.Th key={header.id} className={`column-${header.column.id}`}>
                <table.FlexRender header={header} />
              </Table.Th>
            ))}
          </Table.Tr>
        ))}
      </Table.Thead>
      <Table.Tbody>
        {table.getRowModel().rows.map((row) => (
          <Table.Tr
            key={row.id}
            aria-current={row.id === openId || undefined}
            data-user={row.id}
            data-selected={selection.isSelected(row.id) || undefined}
            onClick={(event) => selectByClick(selection, row.id, event) || navigate({ user: row.id })}
          >
            <SelectCell selection={selection} user={row.original} />
            {row.getAllCells().map((cell) => (
              <Table.Td key={cell.id} className={`column-${cell.column.id}`}>
                <table.FlexRender cell={cell} />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function UserLink({ user, fields }: { user: ListedUser; fields: OwnField[] }) {
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
        {name}
      </a>
      {isUnsaved && (
        <Badge variant="default" size="sm" ml="xs">
          Unsaved
        </Badge>
      )}
      <Text size="sm" c="dimmed" className="user-email clamped">
        {email}
      </Text>
      <NarrowValues user={user} fields={fields} />
    </>
  );
}

/** Narrow screens have no room for more columns. */
function NarrowValues({ user, fields }: { user: ListedUser; fields: OwnField[] }) {
  const values = fields.flatMap((field) => {
    const text = formatValue(field, user[field.name]);
    // A label stays on its line.
    return text ? [`${labelMember(field.name).replaceAll(' ', '\u00a0')}:\u00a0${text}`] : [];
  });
  return (
    <Text size="sm" c="dimmed" className="user-fields">
      {values.join(' · ')}
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
