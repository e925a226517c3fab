import { ActionIcon, Button, Checkbox, Popover, VisuallyHidden } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useState } from 'react';
import * as z from 'zod/mini';
import type { OwnField } from '../../../../lib/users/own-fields/declaration.ts';
import { ChevronIcon, ColumnsIcon, DownIcon } from '../icons.tsx';
import { labelMember, ownFields } from '../own-fields.ts';
import { parseJson } from '../store.ts';

/** The person's choice, which the browser keeps: all own fields in their order, and which of them are shown. */
type Column = { name: string; isShown: boolean };

const storedColumns = z.array(z.object({ name: z.string(), isShown: z.boolean() }));

/** Before a person chooses, the list has room for so many. */
const DEFAULT_SHOWN = 2;

function useColumns() {
  return useLocalStorage<Column[]>({
    key: 'columns',
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: (stored) => storedColumns.safeParse(parseJson(stored ?? null)).data ?? [],
  });
}

/** Fields that were declared since the choice come last; those that are not declared any more are left out. */
function completeColumns(stored: Column[]): Column[] {
  const fields = ownFields.get();
  const known = stored.filter(({ name }) => fields.some((field) => field.name === name));
  const added = fields.filter(({ name }) => !known.some((column) => column.name === name));
  const first = fields.filter(({ deprecated }) => !deprecated).slice(0, DEFAULT_SHOWN);
  return [
    ...known,
    ...added.map((field) => ({ name: field.name, isShown: stored.length === 0 && first.includes(field) })),
  ];
}

/** Returns the fields that the list shows, in the order of their columns. */
export function useShownFields(): OwnField[] {
  const [stored] = useColumns();
  const shown = completeColumns(stored).filter(({ isShown }) => isShown);
  return shown.flatMap(({ name }) => ownFields.get().find((field) => field.name === name) ?? []);
}

/** Lets a person choose the fields that the list shows, and their order. */
export function ColumnChooser() {
  const [stored, setColumns] = useColumns();
  const [moved, setMoved] = useState('');
  const columns = completeColumns(stored);
  const show = (name: string, isShown: boolean) =>
    setColumns(columns.map((column) => (column.name === name ? { name, isShown } : column)));
  const move = (column: Column, from: number, to: number) => {
    if (to < 0 || to >= columns.length) return;
    setColumns(columns.toSpliced(from, 1).toSpliced(to, 0, column));
    setMoved(`${labelMember(column.name)} is now at ${to + 1} of ${columns.length}`);
  };
  return (
    <Popover position="bottom-end" width="min(20rem, 92vw)" shadow="md" withinPortal trapFocus>
      <Popover.Target>
        <ActionIcon className="toolbar-columns" variant="default" size="lg" title="Columns" aria-label="Columns">
          <ColumnsIcon />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns">
        <ul className="columns">
          {columns.map((column, at) => (
            <li key={column.name}>
              <Checkbox
                label={labelMember(column.name)}
                checked={column.isShown}
                onChange={({ currentTarget }) => show(column.name, currentTarget.checked)}
              />
              <MoveButton direction="up" column={column} isEnd={at === 0} onClick={() => move(column, at, at - 1)} />
              <MoveButton
                direction="down"
                column={column}
                isEnd={at === columns.length - 1}
                onClick={() => move(column, at, at + 1)}
              />
            </li>
          ))}
        </ul>
        <Button size="compact-sm" variant="default" mt="xs" onClick={() => setColumns([])}>
          Reset
        </Button>
        <VisuallyHidden role="status">{moved}</VisuallyHidden>
      </Popover.Dropdown>
    </Popover>
  );
}

type MoveProps = { direction: 'up' | 'down'; column: Column; isEnd: boolean; onClick: () => void };

/** It is not disabled at the end, where it would lose the focus. */
const MoveButton = ({ direction, column, isEnd, onClick }: MoveProps) => (
  <ActionIcon
    variant="subtle"
    color="gray"
    aria-label={`Move ${labelMember(column.name)} ${direction}`}
    aria-disabled={isEnd || undefined}
    onClick={onClick}
  >
    {direction === 'up' ? <ChevronIcon size={16} /> : <DownIcon size={16} />}
  </ActionIcon>
);
