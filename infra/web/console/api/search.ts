import type { Order, SearchPage, User } from '../../../../lib/client/client.ts';
import { MAX_FIELD_WORDS, splitWords } from '../../../../lib/features/search/text.ts';
import { listSearchFields } from '../../../../lib/users/derived-keys.ts';
import { INTEGER_RANGE, MAX_LENGTH, type OwnField } from '../../../../lib/users/fields/declaration.ts';
import { normalizeSearched, ownFields } from '../own-fields.ts';
import type { Filter } from '../route.ts';
import { client } from './client.ts';

/** Combined with AND. Empty: all users by creation. */
export type Conditions = {
  q?: string;
  filter: Filter;
  sort?: string;
  /** Undefined if only one order exists, such as by the matched text. */
  order?: Order;
};

type MatchRequest = Conditions & { limit: number; after?: string };

/** The service may return fewer users than asked for although more follow. */
const MAX_REQUESTS = 5;

async function readMatches(request: MatchRequest, signal?: AbortSignal): Promise<SearchPage<User>> {
  const { q, filter, sort, order, limit } = request;
  const query = { filter, order, ...(q ? { search: q } : {}), ...(sort ? { sort: sort as 'name' } : {}) };
  const users: User[] = [];
  let next = request.after;
  for (let attempt = 0; attempt < MAX_REQUESTS && users.length < limit; attempt++) {
    const page = await client.users.listPage({ ...query, limit: limit - users.length, after: next, signal });
    users.push(...page.users);
    next = page.next;
    if (next === undefined) break;
  }
  return { users, ...(next === undefined ? {} : { next }) };
}

/**
 * A user with a unique field equal to the searched text comes first. In a sorted list, this user appears only if the
 * search finds no other.
 */
export async function listMatches(request: MatchRequest, signal?: AbortSignal): Promise<SearchPage<User>> {
  const { q, filter, sort, after } = request;
  if (!q || after) return readMatches(request, signal);
  const [found, owners] = await Promise.all([readMatches(request, signal), findOwners(q, filter, signal)]);
  if (sort && found.users.length > 0) return found;
  const ids = new Set(owners.map(({ id }) => id));
  return { ...found, users: [...owners, ...found.users.filter(({ id }) => !ids.has(id))] };
}

/** Avoids pointless requests. The API validates. */
export const isAddress = (text: string): boolean => /^\S+@\S+\.\S+$/.test(text.trim());

export const findByValue = (field: string, value: string) =>
  client.users.find({ [field]: normalizeSearched(field, value) });

export const findIdByAddress = async (address: string): Promise<string | undefined> =>
  (await findByValue('email', address))?.id;

/** Finds users by unique fields. Skips fields if the search finds users by all their words. */
export async function findOwners(text: string, filter: Filter, signal?: AbortSignal): Promise<User[]> {
  const words = splitWords(text, MAX_FIELD_WORDS + 1).length;
  const searched = listSearchFields(ownFields.get()).filter(({ texts }) => texts >= words);
  const isSearched = ({ name }: OwnField) => searched.some((field) => field.name === name);
  const fields = ownFields
    .get()
    .filter((field) => field.unique && !isSearched(field) && canBe(field, normalizeSearched(field.name, text)));
  // Ignores errors, because the concurrent search reports them.
  const find = async (name: string) => {
    const value = normalizeSearched(name, text);
    if (filter[name] !== undefined && filter[name] !== value) return [];
    const page = await client.users
      .listPage({ filter: { ...filter, [name]: value }, limit: 1, signal })
      .catch(() => {});
    return page?.users ?? [];
  };
  const found = await Promise.all(fields.map(({ name }) => find(name)));
  return found.flat();
}

/** True if the field may have this value. The service rejects a filter with any other value. */
function canBe(
  { type, maxLength = MAX_LENGTH, pattern, unique, enum: values, ...range }: OwnField,
  text: string,
): boolean {
  if (values && !values.map(String).includes(text)) return false;
  const { minimum, maximum } = { ...INTEGER_RANGE, ...range };
  if (type === 'integer') return /^-?\d{1,10}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum;
  if ([...text].length > maxLength) return false;
  return (
    type === 'string' && (pattern === undefined || new RegExp(pattern, unique === 'exact' ? 'u' : 'ui').test(text))
  );
}
