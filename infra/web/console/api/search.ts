import type { SearchPage, User } from '../../../../lib/client/client.ts';
import { INTEGER_RANGE, MAX_LENGTH, type OwnField } from '../../../../lib/users/fields/declaration.ts';
import { ownFields, readSearched } from '../own-fields.ts';
import { client } from './client.ts';

type SearchRequest = { limit: number; q: string; after?: string };

/** Requests that fill one page. The service may answer with a short page although another follows. */
const MAX_REQUESTS = 5;

async function readMatches({ q, limit, after }: SearchRequest, signal?: AbortSignal): Promise<SearchPage<User>> {
  const users: User[] = [];
  let next = after;
  for (let request = 0; request < MAX_REQUESTS && users.length < limit; request++) {
    const page = await client.users.searchPage(q, { limit: limit - users.length, after: next, signal });
    users.push(...page.users);
    next = page.next;
    if (next === undefined) break;
  }
  return { users, ...(next === undefined ? {} : { next }) };
}

/** Searches as a person means it. The user who has the text as the value of a unique field comes first. */
export async function searchUsers(request: SearchRequest, signal?: AbortSignal): Promise<SearchPage<User>> {
  if (request.after) return readMatches(request, signal);
  const [found, owners] = await Promise.all([readMatches(request, signal), findOwners(request.q, signal)]);
  const ids = new Set(owners.map(({ id }) => id));
  return { ...found, users: [...owners, ...found.users.filter(({ id }) => !ids.has(id))] };
}

/** Returns the users who have the text as the value of a unique field, unless the search finds them by it. */
export async function findOwners(text: string, signal?: AbortSignal): Promise<User[]> {
  const fields = ownFields
    .get()
    .filter((field) => field.unique && !field.search && canBe(field, readSearched(field.name, text)));
  // The search, which is under way at the same time, tells what is wrong with the service.
  const find = (name: string) =>
    client.users.find({ [name]: readSearched(name, text) }, { signal }).catch(() => undefined);
  const found = await Promise.all(fields.map(({ name }) => find(name)));
  return found.filter((user) => user !== undefined);
}

/** Leaves out what is no value of the field, which the service would reject. */
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
