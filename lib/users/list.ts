import type { FieldValue } from '../features/own-fields/declaration.ts';
import { uniqueFields } from '../features/own-fields/declared.ts';
import { openPageIndex, type PageIndex } from '../features/page-index/reader.ts';
import { searchUsers } from '../features/search/search.ts';
import { findUserByEmail, findUserByField } from './claims.ts';
import { type Order, queryUsers } from './directory.ts';
import type { User } from './schema.ts';

/**
 * The list starts after the user with the id `after`, else at page `page` (from 1), else with its first user. With
 * `search`, `after` is a cursor of that search, and neither `page` nor `order` nor `by` apply.
 */
export type ListUsers = {
  limit: number;
  /** Users are listed by creation: `asc`, which is the default, is oldest first. */
  order?: Order | undefined;
  page?: number | undefined;
  after?: string | undefined;
  /** The list holds at most the one user who has this email address, or this value of a unique field. */
  by?: { field: string; value: FieldValue } | undefined;
  search?: string | undefined;
};

/**
 * `next` is the `after` of the next page, if there is one. `total` counts all pages; without `page` or `by` it is
 * absent. `cursors` are those of the users, where these are not their ids.
 */
export type UserPage = { users: User[]; next?: string; total?: number; cursors?: string[] };

/**
 * `onRead` gets the number of users, or of search entries, as they are read, and stops the reading if it throws.
 */
export async function listUsers(query: ListUsers, onRead = (_: number) => {}): Promise<UserPage> {
  if (query.search !== undefined) return searchUsers({ ...query, text: query.search }, onRead);
  const page = await listByCreation(query);
  onRead(page.users.length);
  return page;
}

async function listByCreation({ by, ...query }: ListUsers): Promise<UserPage> {
  if (by) return listByValue(by, query);
  const index = openPageIndex();
  if (query.page === undefined) return listFrom(index, query);
  const [users, total] = await Promise.all([listFrom(index, query), index.count()]);
  return { ...users, total };
}

export const countUsers = (): Promise<number> => openPageIndex().count();

/** Only pages by number need the page index, the first one as well: what it shows, the second one does not count. */
async function listFrom(index: PageIndex, { limit, page, after, order = 'asc' }: ListUsers): Promise<UserPage> {
  const { startAfter, ...skip } =
    after || page === undefined ? { startAfter: after } : await index.findStart((page - 1) * limit, order);
  const { users, more } = await queryUsers(startAfter, limit, { ...skip, order });
  const last = users.at(-1);
  return { users, ...(more && last ? { next: last.id } : {}) };
}

async function listByValue(by: NonNullable<ListUsers['by']>, { page = 1, after, order }: ListUsers): Promise<UserPage> {
  const user = await findUserByValue(by);
  const isAfter = ({ id }: User) => !after || (order === 'desc' ? id < after : id > after);
  return { users: user && page === 1 && isAfter(user) ? [user] : [], total: user ? 1 : 0 };
}

/** Undefined for a value that no user has. */
async function findUserByValue({ field: name, value }: NonNullable<ListUsers['by']>): Promise<User | undefined> {
  const field = uniqueFields.find((each) => each.name === name);
  return field ? findUserByField(field, value) : findUserByEmail(String(value));
}
