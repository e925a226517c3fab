import { queryUsers } from './directory.ts';
import { findUserByEmail } from './find-by-email.ts';
import { openPageIndex, type PageIndex } from './page-index/reader.ts';
import type { User } from './schema.ts';

/** The list starts after the user with the id `after`, else at page `page` (from 1), else at the oldest user. */
export type ListUsers = {
  limit: number;
  page?: number | undefined;
  after?: string | undefined;
  email?: string | undefined;
};

/** `next` is the `after` of the next page, if there is one. `total` counts all pages; without `page` or `email` it is absent. */
export type UserPage = { users: User[]; next?: string; total?: number };

/** Lists users, oldest first. With `email`, the list holds at most the one user who has that address. */
export async function listUsers({ limit, page, after, email }: ListUsers): Promise<UserPage> {
  if (email !== undefined) return listByEmail(email, page, after);
  const index = openPageIndex();
  if (page === undefined) return listFrom(index, { limit, after });
  const [users, total] = await Promise.all([listFrom(index, { limit, page, after }), index.count()]);
  return { ...users, total };
}

export const countUsers = (): Promise<number> => openPageIndex().count();

/** `after` is read by key and needs no page index. */
async function listFrom(index: PageIndex, { limit, page = 1, after }: ListUsers): Promise<UserPage> {
  const { startAfter, ...skip } = after ? { startAfter: after } : await index.findStart((page - 1) * limit);
  const { users, more } = await queryUsers(startAfter, limit, skip);
  const last = users.at(-1);
  return { users, ...(more && last ? { next: last.id } : {}) };
}

async function listByEmail(email: string, page = 1, after = ''): Promise<UserPage> {
  const user = await findUserByEmail(email);
  const users = user && page === 1 && user.id > after ? [user] : [];
  return { users, total: user ? 1 : 0 };
}
