import { Checkbox, Table } from '@mantine/core';
import type { KeyboardEvent, MouseEvent } from 'react';
import type { ListedUser } from '../../api/users.ts';
import type { Selection } from './use-selection.ts';

type HeadProps = { selection: Selection; shown: number };

export function SelectAllCell({ selection, shown }: HeadProps) {
  const { length } = selection.users;
  return (
    <Table.Th className="column-select">
      <Checkbox
        aria-label="Select all users of this page"
        checked={length === shown}
        indeterminate={length > 0 && length < shown}
        onChange={({ currentTarget }) => selection.selectAll(currentTarget.checked)}
      />
    </Table.Th>
  );
}

type CellProps = { selection: Selection; user: ListedUser };

/** The whole cell is the target of a click, which opens no user. */
export function SelectCell({ selection, user: { id, name } }: CellProps) {
  const toggle = (event: MouseEvent) => {
    event.stopPropagation();
    selection.toggle(id, { range: event.shiftKey });
  };
  return (
    <Table.Td className="column-select" onClick={toggle}>
      <Checkbox
        aria-label={`Select ${name}`}
        checked={selection.isSelected(id)}
        // The cell does it: a change does not tell of the Shift key.
        onChange={() => {}}
      />
    </Table.Td>
  );
}

/** Returns whether a click on a row, with Shift or Ctrl as in a file manager, has selected it. */
export function selectByClick(selection: Selection, id: string, event: MouseEvent): boolean {
  if (!event.shiftKey && !event.ctrlKey && !event.metaKey) return false;
  // Shift also selects the text between two clicks.
  getSelection()?.removeAllRanges();
  selection.toggle(id, { range: event.shiftKey });
  return true;
}

/** Space selects the user whose link has the focus, with Shift up to it; Escape selects nobody. */
export function selectByKey(selection: Selection, event: KeyboardEvent<HTMLElement>): void {
  if (event.key === 'Escape' && selection.users.length > 0) {
    // Otherwise it would also close the open user.
    event.stopPropagation();
    selection.selectAll(false);
  }
  const { target } = event;
  if (event.key !== ' ' || !(target instanceof HTMLAnchorElement)) return;
  // The page would scroll.
  event.preventDefault();
  const id = target.closest('tr')?.dataset.user;
  if (id) selection.toggle(id, { range: event.shiftKey });
}
