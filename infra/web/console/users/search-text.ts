import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect } from 'react';
import * as z from 'zod/mini';
import type { UserList } from '../api/users.ts';
import { navigate } from '../route.ts';
import { createSessionStore, useStore } from '../store.ts';

const DEBOUNCE_MS = 200;

const typed = z.object({ q: z.string(), text: z.string() });

/** The first match is opened once the list shows the matches: people press Enter before that. */
type Typed = z.infer<typeof typed> & { opensFirst?: boolean };

/** Holds what was typed while the address had the search `q`: the page may be left before the address has it, too. */
const typedSearch = createSessionStore<Typed>(
  'typed-search',
  (stored) => typed.safeParse(stored).data ?? { q: '', text: '' },
);

/** Returns the text of the search field. The address follows it, and it follows the address when the browser goes back. */
export function useSearchText(q: string) {
  const typed = useStore(typedSearch);
  const text = typed.q === q ? typed.text : q;
  const search = useDebouncedCallback((latest: string) => {
    const next = latest.trim();
    if (next === q) return;
    typedSearch.set(() => ({ q: next, text: latest }));
    // Back leads to the page where the search began.
    navigate({ q: next, page: 1, after: undefined }, { replace: q !== '' });
  }, DEBOUNCE_MS);
  useEffect(() => search(text), [search, text]);
  // The page was left before the address had the text.
  useEffect(() => search.flush(), [search]);
  const setText = (text: string) => typedSearch.set(() => ({ q, text }));
  const searchAtOnce = () => {
    // It may be in the address only.
    typedSearch.set((latest) => (latest.q === q && latest.text === text ? latest : { q, text }));
    search.flush();
  };
  return { text, setText, searchAtOnce };
}

/** Opens the first match of a text that was searched, unless another one is typed first. */
export const openFirstMatch = (text: string): void =>
  typedSearch.set((latest) => (latest.text === text ? { ...latest, opensFirst: true } : latest));

/** Opens the first match that was asked for; `list` is undefined until it is that of the search. */
export function useFirstMatch(q: string, list: UserList | undefined): void {
  const { q: searched, opensFirst } = useStore(typedSearch);
  useEffect(() => {
    if (!opensFirst || !list) return;
    typedSearch.set(({ q, text }) => ({ q, text }));
    const [first] = list.users;
    if (searched === q && first) navigate({ user: first.id });
  }, [opensFirst, searched, q, list]);
}
