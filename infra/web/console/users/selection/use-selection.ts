import { useState } from 'react';
import type { ListedUser } from '../../api/users.ts';

/** Which users of the shown page are selected. */
export type Selection = {
  users: ListedUser[];
  isSelected(id: string): boolean;
  /** Selects a user, or no longer; a range does the same to those between this and the last one that was toggled. */
  toggle(id: string, options?: { range: boolean }): void;
  /** Selects all users of the page, or none. */
  selectAll(isSelected: boolean): void;
};

type State = { list: string; ids: ReadonlySet<string>; last?: string };

/** Another page, order or search, which `list` names, begins with nobody selected. */
export function useSelection(list: string, shown: readonly ListedUser[]): Selection {
  const [stored, setState] = useState<State>({ list, ids: new Set() });
  const isOther = stored.list !== list;
  // React renders again at once, so that going back does not select users again.
  if (isOther) setState({ list, ids: new Set() });
  const ids: ReadonlySet<string> = isOther ? new Set() : stored.ids;

  return {
    // Users leave the page as others delete them.
    users: shown.filter(({ id }) => ids.has(id)),
    isSelected: (id) => ids.has(id),
    toggle(id, { range } = { range: false }) {
      const next = new Set(ids);
      for (const each of range ? findRange(shown, stored.last, id) : [id])
        if (ids.has(id)) next.delete(each);
        else next.add(each);
      setState({ list, ids: next, last: id });
    },
    selectAll(isSelected) {
      setState({ list, ids: new Set(isSelected ? shown.map(({ id }) => id) : []) });
    },
  };
}

function findRange(shown: readonly ListedUser[], from: string | undefined, to: string): string[] {
  const ids = shown.map(({ id }) => id);
  const [start, end] = [ids.indexOf(from ?? to), ids.indexOf(to)];
  return start < 0 ? [to] : ids.slice(Math.min(start, end), Math.max(start, end) + 1);
}
