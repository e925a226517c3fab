import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect } from 'react';
import * as z from 'zod/mini';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import type { UserList } from '../api/users.ts';
import { labelMember, ownFields } from '../own-fields.ts';
import { navigate, openInsteadOf } from '../route.ts';
import { createSessionStore, useStore } from '../store.ts';

const OR = new Intl.ListFormat('en', { type: 'disjunction' });

/** Lists the searched members by label, such as "Name, Email, or Company". */
export const describeSearched = (): string =>
  OR.format(['name', 'email', ...listNames(({ search }) => Boolean(search))].map(labelMember));

const listNames = (isListed: (field: OwnField) => boolean): string[] =>
  ownFields
    .get()
    .filter(isListed)
    .map(({ name }) => name);

/** Explains what to type if `q` has no matches. */
export function explainSearch(q: string): string {
  const whole = listNames(({ unique, search }) => Boolean(unique) && !search).map(labelMember);
  const domain = /\s/.test(q) ? '@example.org' : `@${q}`;
  return [
    `The search finds words that begin with the typed ones, in ${describeSearched()}.`,
    ...(q.includes('@') ? [] : [`For the domain of an address, type ${domain}.`]),
    ...(whole.length > 0 ? [`Type the whole value of ${OR.format(whole)}.`] : []),
  ].join(' ');
}

const DEBOUNCE_MS = 200;

const typed = z.object({ q: z.string(), text: z.string() });

/**
 * `q` is the URL's search when the text was typed. `entered`: Enter was pressed before the matches arrived, while
 * `openId` was open.
 */
type Typed = z.infer<typeof typed> & { entered?: { openId: string | undefined } };

/** Stored, in case the page is left before the URL follows. */
const typedSearch = createSessionStore<Typed>(
  'typed-search',
  (stored) => typed.safeParse(stored).data ?? { q: '', text: '' },
);

/** The text follows the URL when the browser goes back. */
export function useSearchText(q: string) {
  const typed = useStore(typedSearch);
  const text = typed.q === q ? typed.text : q;
  const search = useDebouncedCallback((latest: string) => {
    const next = latest.trim();
    if (next === q) return;
    typedSearch.set(() => ({ q: next, text: latest }));
    // Only the start of a search adds an entry to the browser's history.
    navigate({ q: next, page: 1, after: undefined }, { replace: q !== '' });
  }, DEBOUNCE_MS);
  useEffect(() => search(text), [search, text]);
  // Searches at once for text that was typed just before the page was left.
  useEffect(() => search.flush(), [search]);
  const setText = (text: string) => typedSearch.set(() => ({ q, text }));
  const searchAtOnce = () => {
    // Stores a search that only the URL has: `openFirstMatch` needs its text.
    typedSearch.set((latest) => (latest.q === q && latest.text === text ? latest : { q, text }));
    search.flush();
  };
  return { text, setText, searchAtOnce };
}

/** Does nothing if another text was typed meanwhile, or another user than `openId` was opened. */
export const openFirstMatch = (text: string, openId: string | undefined): void =>
  typedSearch.set((latest) => (latest.text === text ? { ...latest, entered: { openId } } : latest));

/** Does nothing in the same cases as `openFirstMatch`. */
export function openOwner(text: string, openId: string | undefined, ownerId: string): void {
  if (typedSearch.get().text === text) openInsteadOf(openId, ownerId);
}

/** `list` is undefined until the matches have arrived. */
export function useFirstMatch(q: string, list: UserList | undefined): void {
  const { q: searched, entered } = useStore(typedSearch);
  useEffect(() => {
    if (!entered || !list) return;
    typedSearch.set(({ q, text }) => ({ q, text }));
    const [first] = list.users;
    if (searched === q && first) openInsteadOf(entered.openId, first.id);
  }, [entered, searched, q, list]);
}
