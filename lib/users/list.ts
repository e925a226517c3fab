import { queryUsers } from './directory.ts';
import { findUserByEmail } from './find-by-email.ts';
import { type Pages, pages } from './page-index/reader.ts';
import type { User } from './schema.ts';

/** Where a list starts: behind the user `after`, else at the numbered page, else at the first user. */
export type ListUsers = {
  limit: number;
  page?: number | undefined;
  after?: string | undefined;
  email?: string | undefined;
};

/** `next` is the `after` of the users that follow, if any. A numbered page knows how many users there are in all. */
export type UserPage = { users: User[]; next?: string; total?: number };

export async function listUsers(query: ListUsers): Promise<UserPage> {
  if (query.email !== undefined) return listByEmail(query.email, query);
  const index = pages();
  const [page, total] = await Promise.all([
    readPage(query, index),
    query.page === undefined ? undefined : index.count(),
  ]);
  return total === undefined ? page : { ...page, total };
}

/** A link to the next page walks by key, and needs no index. */
async function readPage({ limit, page = 1, after }: ListUsers, index: Pages): Promise<UserPage> {
  const { place, passing } = after ? { place: after, passing: 0 } : await index.start((page - 1) * limit);
  const { users, more } = await queryUsers(place, limit, passing);
  const last = users.at(-1);
  return { users, ...(more && last ? { next: last.id } : {}) };
}

/** At most one user has an address; paging applies to that list of one or none. */
async function listByEmail(email: string, { page, after = '' }: ListUsers): Promise<UserPage> {
  const found = await findUserByEmail(email);
  const users = found && (page ?? 1) === 1 && found.id > after ? [found] : [];
  return { users, ...(page === undefined ? {} : { total: found ? 1 : 0 }) };
}
