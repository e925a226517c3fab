import { useSelection as useSelected } from '@mantine/hooks';
import { useState } from 'react';
import type { ListedUser } from '../../api/users.ts';

export type Selection = ReturnType<typeof useSelection>;

/** Keeps which users of the shown page are selected. Another page, order or search, which `list` names, begins with nobody selected. */
export function useSelection(list: string, shown: readonly ListedUser[]) {
  const ids = shown.map(({ id }) => id);
  const [selected, { select, deselect, setSelection }] = useSelected({ data: ids });
  const [last, setLast] = useState<{ list: string; id?: string }>({ list });
  // React renders again at once, so that going back does not select users again.
  if (last.list !== list) {
    setLast({ list });
    setSelection([]);
  }
  return {
    // Users leave the page as others delete them.
    users: shown.filter(({ id }) => selected.includes(id)),
    isSelected: (id: string) => selected.includes(id),
    /** Selects a user, or no longer; with Shift, it does the same to those between this and the last one that was toggled. */
    toggle(id: string, { shiftKey }: { shiftKey: boolean }) {
      const [from, to] = [ids.indexOf(shiftKey ? (last.id ?? id) : id), ids.indexOf(id)];
      const range = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
      range.forEach(selected.includes(id) ? deselect : select);
      setLast({ list, id });
    },
    selectAll: () => setSelection(ids),
    selectNobody: () => setSelection([]),
  };
}
