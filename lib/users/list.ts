import { normalizeId } from '../dynamodb/keys.ts';
import { invalidInput } from '../errors.ts';
import { openPageIndex, type PageIndex } from '../features/page-index/reader.ts';
import { type Criterion, findIdIssue, listMatching } from './criteria.ts';
import { type Order, queryUsers, type StartAfter } from './directory.ts';
import type { User } from './user.ts';

/** What a list shows: all users by creation, or those who meet all criteria. */
export type ListUsers = {
  /** Users that a page holds at most. */
  limit: number;
  /** `asc` is the default. By creation, it is oldest first. */
  order?: Order | undefined;
  /** The number of the page, from 1. */
  page?: number | undefined;
  /** The cursor after which the list starts. By creation, it is the id of a user. */
  after?: string | undefined;
  criteria?: readonly Criterion[] | undefined;
  /** Counts the users on all pages, if that is cheap. */
  isCounted?: boolean | undefined;
};

export type UserPage = {
  users: User[];
  /** The cursors of the users. Absent if they are the users' ids. */
  cursors?: string[];
  /** The `after` of the next page. Absent on the last page. */
  next?: string;
  /** The number of users on all pages. Absent if nobody has counted them. */
  total?: number;
};

/** Gets the number of items as they are read. Stops the reading if it throws. */
export type OnRead = (items: number) => void;

/** Throws BAD_USER_INPUT for a cursor of another list. */
export async function listUsers(query: ListUsers, onRead: OnRead = () => {}): Promise<UserPage> {
  const { criteria = [], ...byCreation } = query;
  if (criteria.length > 0) {
    const [page, total] = await Promise.all([
      listMatching({ ...byCreation, criteria }, onRead),
      query.isCounted ? countMatching(criteria, onRead) : undefined,
    ]);
    return total === undefined ? page : { ...page, total };
  }
  const page = await listByCreation(byCreation);
  onRead(page.users.length);
  return page;
}

async function listByCreation({ after, page, ...query }: Omit<ListUsers, 'criteria'>): Promise<UserPage> {
  const issue = after === undefined ? undefined : findIdIssue(after);
  if (issue) throw invalidInput(['after'], issue);
  const index = openPageIndex();
  const reading =
    page === undefined || after !== undefined
      ? listAfter(after === undefined ? undefined : normalizeId(after), query)
      : listPage(index, { ...query, page });
  if (page === undefined && !query.isCounted) return reading;
  const [users, total] = await Promise.all([reading, index.count()]);
  return { ...users, total };
}

/**
 * Counts the users who meet all criteria: all users, or those of one filter. Returns undefined for other criteria, and for
 * more than MAX_COUNT users of a filter.
 */
export async function countMatching(criteria: readonly Criterion[], onRead?: OnRead): Promise<number | undefined> {
  const [condition, ...others] = criteria.filter(({ sort }) => !sort);
  if (!condition) return countUsers(onRead);
  return others.length === 0 ? condition.count?.(onRead ?? (() => {})) : undefined;
}

export const countUsers = (onRead?: OnRead): Promise<number> => openPageIndex(onRead).count();

async function listAfter(startAfter: StartAfter, { limit, order }: ListUsers): Promise<UserPage> {
  const { users, more } = await queryUsers(startAfter, limit, order && { order });
  return createPage(users, more);
}

/**
 * Only pages by number need the page index, the first one as well: what it shows, the second one does not count. Newest
 * first, the pages after the first are read from the other end.
 */
async function listPage(index: PageIndex, { limit, page, order }: ListUsers & { page: number }): Promise<UserPage> {
  const offset = (page - 1) * limit;
  if (order !== 'desc' || offset === 0) {
    const { startAfter, ...skip } = await index.findStart(offset);
    const { users, more } = await queryUsers(startAfter, limit, { ...skip, order: order ?? 'asc' });
    return createPage(users, more);
  }
  const end = (await index.count()) - offset;
  const start = Math.max(0, end - limit);
  if (end <= 0) return createPage([], false);
  const { startAfter, ...skip } = await index.findStart(start);
  const { users } = await queryUsers(startAfter, end - start, skip);
  return createPage(users.toReversed(), start > 0);
}

function createPage(users: User[], more: boolean): UserPage {
  const last = users.at(-1);
  return { users, ...(more && last ? { next: last.id } : {}) };
}
