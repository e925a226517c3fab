import { openPageIndex, type PageIndex } from '../features/page-index/reader.ts';
import { type Order, queryUsers } from './directory.ts';
import type { User } from './user.ts';

/**
 * The list starts after the user with the id `after`, else at page `page` (from 1), else with its first user. The cursors
 * of a selection may be others.
 */
export type ListUsers = {
  limit: number;
  /** Users are listed by creation: `asc`, which is the default, is oldest first. */
  order?: Order | undefined;
  page?: number | undefined;
  after?: string | undefined;
  selection?: Selection | undefined;
};

/**
 * `next` is the `after` of the next page, if there is one. `total` counts all pages; without `page`, or where nobody counts
 * a selection, it is absent. `cursors` are those of the users, where these are not their ids.
 */
export type UserPage = { users: User[]; next?: string; total?: number; cursors?: string[] };

/** Gets the number of users, or of other items, as they are read, and stops the reading if it throws. */
export type OnRead = (items: number) => void;

/** Lists some users only. */
export type Selection = {
  /** The query parameters of REST that select them: links to other pages repeat these. */
  parameters: Record<string, string>;
  list(query: ListUsers, onRead: OnRead): Promise<UserPage>;
};

export async function listUsers(query: ListUsers, onRead: OnRead = () => {}): Promise<UserPage> {
  if (query.selection) return query.selection.list(query, onRead);
  const page = await listByCreation(query);
  onRead(page.users.length);
  return page;
}

async function listByCreation(query: ListUsers): Promise<UserPage> {
  const index = openPageIndex();
  if (query.page === undefined) return listFrom(index, query);
  const [users, total] = await Promise.all([listFrom(index, query), index.count()]);
  return { ...users, total };
}

export const countUsers = (onRead?: OnRead): Promise<number> => openPageIndex(onRead).count();

/** Only pages by number need the page index, the first one as well: what it shows, the second one does not count. */
async function listFrom(index: PageIndex, { limit, page, after, order = 'asc' }: ListUsers): Promise<UserPage> {
  const { startAfter, ...skip } =
    after || page === undefined ? { startAfter: after } : await index.findStart((page - 1) * limit, order);
  const { users, more } = await queryUsers(startAfter, limit, { ...skip, order });
  const last = users.at(-1);
  return { users, ...(more && last ? { next: last.id } : {}) };
}

/** Selects the one user who is found, or nobody. */
export const selectOne = (parameters: Selection['parameters'], find: () => Promise<User | undefined>): Selection => ({
  parameters,
  async list({ page = 1, after, order }, onRead) {
    const user = await find();
    const isAfter = ({ id }: User) => !after || (order === 'desc' ? id < after : id > after);
    const users = user && page === 1 && isAfter(user) ? [user] : [];
    onRead(users.length);
    return { users, total: user ? 1 : 0 };
  },
});
