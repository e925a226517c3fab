import type { SearchPage, User } from '../../../../lib/client/client.ts';
import type { OwnField } from '../../../../lib/features/own-fields/declaration.ts';
import { ownFields } from '../own-fields.ts';
import { client } from './client.ts';

type Request = { limit: number; q: string; after?: string };

/** A page of matches in the other order continues after such a cursor. Cursors of the service have no such character. */
const OTHER_ORDER = '~';

/**
 * Searches as a person means it. The index finds words in the order of the name: where it finds nobody, the other order is
 * tried. The user who has the text as the value of a unique field comes first.
 */
export async function searchUsers(request: Request, signal?: AbortSignal): Promise<SearchPage<User>> {
  const { q, after } = request;
  if (after) return after.startsWith(OTHER_ORDER) ? searchReversed(request, signal) : search(request, signal);
  const [found, owners] = await Promise.all([search(request, signal), findOwners(q, signal)]);
  const ids = new Set(owners.map(({ id }) => id));
  if (found.users.length === 0 && ids.size === 0) return searchReversed(request, signal);
  return { ...found, users: [...owners, ...found.users.filter(({ id }) => !ids.has(id))] };
}

const search = ({ q, ...page }: Request, signal?: AbortSignal) => client.users.searchPage(q, { ...page, signal });

async function searchReversed({ q, limit, after }: Request, signal?: AbortSignal): Promise<SearchPage<User>> {
  const reversed = reverseWords(q);
  if (!reversed) return { users: [] };
  const cursor = after ? { after: after.slice(OTHER_ORDER.length) } : {};
  const { users, next } = await search({ q: reversed, limit, ...cursor }, signal);
  return { users, ...(next ? { next: `${OTHER_ORDER}${next}` } : {}) };
}

/** "Gottlieb Megan" becomes "Megan Gottlieb", and "van Dam Maria" becomes "Maria van Dam". */
function reverseWords(text: string): string | undefined {
  const words = text.trim().split(/\s+/);
  return words.length > 1 ? [words.at(-1), ...words.slice(0, -1)].join(' ') : undefined;
}

async function findOwners(text: string, signal?: AbortSignal): Promise<User[]> {
  const fields = ownFields.get().filter((field) => field.unique && canBe(field, text.trim()));
  // The search, which is under way at the same time, tells what is wrong with the service.
  const find = (name: string) => client.users.find({ [name]: text.trim() }, { signal }).catch(() => undefined);
  const found = await Promise.all(fields.map(({ name }) => find(name)));
  return found.filter((user) => user !== undefined);
}

/** Leaves out what is no value of the field, which the service would reject. */
function canBe({ type, maxLength, pattern }: OwnField, text: string): boolean {
  if (type === 'integer') return /^-?\d{1,9}$/.test(text);
  if (maxLength !== undefined && [...text].length > maxLength) return false;
  return type === 'string' && (pattern === undefined || new RegExp(pattern, 'ui').test(text));
}
