import type { Order, SearchPage } from '../../../../lib/client/client.ts';
import { MAX_FIELD_WORDS, splitWords } from '../../../../lib/features/search/text.ts';
import { listSearchFields } from '../../../../lib/users/derived-keys.ts';
import type { OwnField } from '../../../../lib/users/fields/declaration.ts';
import { normalizeSearched, ownFields } from '../own-fields.ts';
import type { Filter } from '../route.ts';
import { client } from './client.ts';

type User = Awaited<ReturnType<typeof client.users.listPage>>['users'][number];

/** Combined with AND. Empty: all users by creation. */
export type Conditions = {
  q?: string | undefined;
  filter: Filter;
  sort?: string | undefined;
  /** Undefined if only one order exists, such as by the matched text. */
  order?: Order | undefined;
};

type MatchRequest = Conditions & { limit: number; after?: string | undefined };
type Options = { signal?: AbortSignal | undefined; from?: typeof client };

/** The service may return fewer users than asked for although more follow. */
const MAX_REQUESTS = 5;

async function readMatches(request: MatchRequest, { signal, from = client }: Options): Promise<SearchPage<User>> {
  const { q, filter, sort, order, limit } = request;
  // Cast: `Conditions` are from the URL.
  const query = { search: q, filter, sort: sort as 'name' | undefined, order };
  const users: User[] = [];
  let next = request.after;
  for (let attempt = 0; attempt < MAX_REQUESTS && users.length < limit; attempt++) {
    const page = await from.users.listPage({ ...query, limit: limit - users.length, after: next, signal });
    users.push(...page.users);
    next = page.next;
    if (next === undefined) break;
  }
  return { users, next };
}

/**
 * The owner of the searched text comes first on the first page. In a sorted list, this user appears only if the search
 * finds no other.
 */
export async function listMatches(request: MatchRequest, options: Options = {}): Promise<SearchPage<User>> {
  const { q, filter, sort, after } = request;
  if (!q || after) return readMatches(request, options);
  const [found, owners] = await Promise.all([readMatches(request, options), findOwners(q, filter, options)]);
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

/** Finds users by their address, and by unique fields. Skips fields if the search finds users by all their words. */
async function findOwners(text: string, filter: Filter, { signal, from = client }: Options): Promise<User[]> {
  const words = splitWords(text, MAX_FIELD_WORDS + 1).length;
  const searched = listSearchFields(ownFields.get()).filter(({ texts }) => texts >= words);
  const isSearched = ({ name }: OwnField) => searched.some((field) => field.name === name);
  const unique = ownFields
    .get()
    .filter((field) => field.unique && !isSearched(field) && canBe(field, normalizeSearched(field.name, text)))
    .map(({ name }) => name);
  // Ignores errors, because the concurrent search reports them.
  const find = async (name: string) => {
    const value = normalizeSearched(name, text);
    if (![filter[name] ?? value].flat().includes(value)) return [];
    const page = await from.users.listPage({ filter: { ...filter, [name]: value }, limit: 1, signal }).catch(() => {});
    return page?.users ?? [];
  };
  const found = await Promise.all([...(isAddress(text) ? ['email'] : []), ...unique].map(find));
  return found.flat();
}

/** Avoids pointless requests: the service finds no owner of an impossible value. */
const canBe = ({ type, pattern, unique }: OwnField, text: string): boolean =>
  type === 'integer'
    ? /^-?\d+$/.test(text)
    : type === 'string' && (pattern === undefined || new RegExp(pattern, unique === 'exact' ? 'u' : 'ui').test(text));
