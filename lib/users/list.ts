import { countBehind, skip, usersBehind } from './directory.ts';
import { findUserByEmail } from './find-by-email.ts';
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
  const [page, total] = await Promise.all([
    readPage(query),
    query.page === undefined ? undefined : countBehind(undefined),
  ]);
  return total === undefined ? page : { ...page, total };
}

async function readPage({ limit, page = 1, after }: ListUsers): Promise<UserPage> {
  const place = after ?? (await skip(undefined, (page - 1) * limit));
  if (place === null) return { users: [] };
  const { users, more } = await usersBehind(place, limit);
  const last = users.at(-1);
  return { users, ...(more && last ? { next: last.id } : {}) };
}

/** At most one user has an address; paging applies to that list of one or none. */
async function listByEmail(email: string, { page, after = '' }: ListUsers): Promise<UserPage> {
  const found = await findUserByEmail(email);
  const users = found && (page ?? 1) === 1 && found.id > after ? [found] : [];
  return { users, ...(page === undefined ? {} : { total: found ? 1 : 0 }) };
}
