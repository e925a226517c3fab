import { useSelection as useSelected } from '@mantine/hooks';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Conditions, listMatches } from '../../api/search.ts';
import { toUser, type User } from '../../api/users.ts';
import { pendingDeletions } from '../../deletions.ts';
import { useStore } from '../../store.ts';

export type Selection = ReturnType<typeof useSelection>;

/** Selected users are kept in memory. */
export const MAX_SELECTED = 10_000;

const PAGE_SIZE = 500;

type Matches = { list: string; users: ReadonlyMap<string, User> };

/**
 * A change of `page` (page, order and search) resets the selection. `list` identifies the list on all of its pages: a
 * selection of the whole list stays valid on each page.
 */
export function useSelection({ page, list }: { page: string; list: string }, shown: readonly User[]) {
  const ids = shown.map(({ id }) => id);
  const [selected, { select, deselect, setSelection }] = useSelected({ data: ids });
  const [last, setLast] = useState<{ page: string; id?: string }>({ page });
  const [all, setAll] = useState<Matches>();
  const [read, setRead] = useState<number>();
  const reading = useRef<AbortController>(undefined);
  const deleted = useStore(pendingDeletions);
  // Resets the selection during render, so that going back does not restore it.
  if (last.page !== page) {
    setLast({ page });
    setSelection([]);
  }
  if (all && all.list !== list) setAll(undefined);
  const matches = all?.list === list ? all.users : undefined;
  const isSelected = (id: string) => (matches ? matches.has(id) : selected.includes(id));
  const stopReading = useCallback(() => {
    reading.current?.abort();
    setRead(undefined);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: ends the work for a list with that list
  useEffect(() => stopReading, [list, stopReading]);
  const clearSelection = () => {
    stopReading();
    setAll(undefined);
    setSelection([]);
  };
  const change = (changed: readonly User[], isAdded: boolean) => {
    if (!matches) {
      for (const { id } of changed) isAdded ? select(id) : deselect(id);
      return;
    }
    const users = new Map(matches);
    for (const user of changed) isAdded ? users.set(user.id, user) : users.delete(user.id);
    setAll(users.size > 0 ? { list, users } : undefined);
  };
  return {
    // Excludes users with a pending deletion and, on one page, users deleted by other clients.
    users: matches
      ? [...matches.values()].filter(({ id }) => !deleted.has(id))
      : shown.filter(({ id }) => selected.includes(id)),
    isSelected,
    read,
    /** Shift includes all users since the last toggled one. */
    toggle(id: string, { shiftKey }: { shiftKey: boolean }) {
      stopReading();
      const [from, to] = [ids.indexOf(shiftKey ? (last.id ?? id) : id), ids.indexOf(id)];
      const range = from < 0 ? [id] : ids.slice(Math.min(from, to), Math.max(from, to) + 1);
      change(
        shown.filter((user) => range.includes(user.id)),
        !isSelected(id),
      );
      setLast({ page, id });
    },
    selectAll() {
      stopReading();
      setAll(undefined);
      setSelection(ids);
    },
    clearSelection,
    forget(gone: ReadonlySet<string>) {
      setAll(
        (current) => current && { ...current, users: new Map([...current.users].filter(([id]) => !gone.has(id))) },
      );
    },
    /** Adopts edited users: a deletion requires the selected versions. */
    update(edited: ReadonlyMap<string, User>) {
      setAll(
        (current) =>
          current && {
            ...current,
            users: new Map([...current.users].map(([id, user]) => [id, edited.get(id) ?? user])),
          },
      );
    },
    async selectMatches(conditions: Conditions): Promise<void> {
      stopReading();
      const controller = new AbortController();
      reading.current = controller;
      const { signal } = controller;
      const users = new Map<string, User>();
      let after: string | undefined;
      try {
        do {
          setRead(users.size);
          const part = await listMatches({ ...conditions, limit: PAGE_SIZE, after }, { signal });
          signal.throwIfAborted();
          for (const user of part.users) users.set(user.id, toUser(user));
          after = part.next;
        } while (after !== undefined && users.size < MAX_SELECTED);
        setAll({ list, users: new Map([...users].slice(0, MAX_SELECTED)) });
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        if (!signal.aborted) setRead(undefined);
      }
    },
  };
}
