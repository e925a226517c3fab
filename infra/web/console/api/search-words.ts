import type { SearchPage } from '../../../../lib/client/client.ts';
import { isLongEnough, listWords } from '../../../../lib/features/search/text.ts';
import { normalizeText } from '../../../../lib/input/normalized-text.ts';
import { ownFields } from '../own-fields.ts';

export type SearchRequest = { limit: number; q: string; after?: string };

/** Reads a page of users whom the index of the service finds. */
export type Search<Found> = (request: SearchRequest, signal?: AbortSignal) => Promise<SearchPage<Found>>;

type Searchable = { name: string; email: string };

/** Cursors that continue a search in the other order, or in any, begin so. Cursors of the service have no such character. */
const OTHER_ORDER = '~';
const ANY_ORDER = '*';

/** A search in any order reads so many users at a time, and so often for one page. */
const READ_USERS = 100;
const MAX_READS = 5;

/**
 * The index finds words in the order of the name. Where it finds nobody, the other order is tried, and then those of the
 * longest word who have the others, too: so "Gottlieb Megan" and "gottl meg" find Megan Gottlieb.
 */
export async function searchWords<Found extends Searchable>(
  search: Search<Found>,
  request: SearchRequest,
  signal?: AbortSignal,
): Promise<SearchPage<Found>> {
  const { q, after = '' } = request;
  if (after.startsWith(OTHER_ORDER)) return searchReversed(search, request, signal);
  if (after.startsWith(ANY_ORDER)) return searchInAnyOrder(search, request, signal);
  const found = await search(request, signal);
  if (after || isAnswer(found) || !/\S\s+\S/.test(q)) return found;
  const reversed = await searchReversed(search, request, signal);
  return isAnswer(reversed) ? reversed : searchInAnyOrder(search, request, signal);
}

const isAnswer = ({ users, next }: SearchPage<unknown>): boolean => users.length > 0 || next !== undefined;

async function searchReversed<Found>(search: Search<Found>, { q, limit, after }: SearchRequest, signal?: AbortSignal) {
  const cursor = after ? { after: after.slice(OTHER_ORDER.length) } : {};
  const { users, next } = await search({ q: reverseWords(q), limit, ...cursor }, signal);
  return { users, ...(next ? { next: `${OTHER_ORDER}${next}` } : {}) };
}

/** "Gottlieb Megan" becomes "Megan Gottlieb", and "van Dam Maria" becomes "Maria van Dam". */
function reverseWords(text: string): string {
  const words = text.trim().split(/\s+/);
  return [words.at(-1), ...words.slice(0, -1)].join(' ');
}

/** A cursor is `*`, the number of matches that were shown of the page of the service, `*`, and the cursor of that page. */
async function searchInAnyOrder<Found extends Searchable>(
  search: Search<Found>,
  { q, limit, after = '' }: SearchRequest,
  signal?: AbortSignal,
): Promise<SearchPage<Found>> {
  const words = normalizeText(q).split(' ');
  const [longest = ''] = words.toSorted((one, other) => other.length - one.length);
  if (!isLongEnough(longest)) return { users: [] };
  const hasAll = (user: Found) => {
    const texts = listTexts(user);
    return words.every((word) => texts.some((text) => text.startsWith(word)));
  };
  const [, skipped = '0', first = ''] = after.split(ANY_ORDER);
  let [shown, cursor] = [Number(skipped), first];
  const users: Found[] = [];
  for (let read = 0; read < MAX_READS; read++) {
    const from = cursor ? { after: cursor } : {};
    const page = await search({ q: longest, limit: READ_USERS, ...from }, signal);
    const matches = page.users.filter(hasAll).slice(shown);
    const room = limit - users.length;
    users.push(...matches.slice(0, room));
    if (matches.length > room) return { users, next: formatCursor(shown + room, cursor) };
    if (!page.next) return { users };
    [shown, cursor] = [0, page.next];
  }
  return { users, next: formatCursor(0, cursor) };
}

const formatCursor = (shown: number, cursor: string): string => `${ANY_ORDER}${shown}${ANY_ORDER}${cursor}`;

/** What the service finds a user by, from each word on. */
function listTexts(user: Searchable): string[] {
  const members = new Map<string, unknown>(Object.entries(user));
  const fields = ownFields.get().filter(({ search }) => search);
  const values = ['name', ...fields.map(({ name }) => name)].flatMap((name) => members.get(name));
  return [normalizeText(user.email), ...values.flatMap((value) => (typeof value === 'string' ? listWords(value) : []))];
}
